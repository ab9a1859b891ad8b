// What a call differs in from the one that stood in its place, where the change leaves both as they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPools = R"(import torch


class Buckets:
    def __init__(self):
        self.buckets = {}

    def allocate(self, key, size):
        if key not in self.buckets:
            self.buckets[key] = torch.empty(size)
        return self.buckets[key]

    def free(self, key):
        if key in self.buckets:
            release(self.buckets[key])
            del self.buckets[key]

    def size(self):
        return len(self.buckets)


class KeptBuckets(Buckets):
    def allocate(self, key, size):
        if key not in self.buckets:
            self.buckets[key] = torch.empty(size)
        bucket = self.buckets[key]
        grow(bucket, size)
        return bucket

    def free(self, key):
        if key in self.buckets:
            release(self.buckets[key])

    def size(self):
        total = 0
        for bucket in self.buckets.values():
            total += bucket.numel()
        return total


class Pool:
    def __init__(self, size):
        self.size = size
        self.backup = Buckets()

    def allocate(self, key, size):
        return self.backup.allocate(key, size)

    def free(self, key):
        self.backup.free(key)


def pool():
    return Pool(2)


if __name__ == "__main__":
    pool()
)";

TEST(SwappedCallees, MethodsOfAnotherClassAreHeldAgainstThoseCalledBefore) {
  const Files before = {{"pools.py", kPools}};
  const std::string text =
      explain_of(before, with_edit(before, "pools.py", "self.backup = Buckets()", "self.backup = KeptBuckets()"));
  EXPECT_THAT(text, HasSubstr("`KeptBuckets.allocate` (`pools.py:23`), which `Pool.allocate` calls now, "
                              "calls `grow(bucket, size)`; `Buckets.allocate` (`pools.py:8`) does not."));
  EXPECT_THAT(text, HasSubstr("`Buckets.free` (`pools.py:13`) runs `del self.buckets[key]` where `key` is in "
                              "`self.buckets`; `KeptBuckets.free` (`pools.py:30`), which `Pool.free` "
                              "calls now, does not."));
  // Nobody calls it on the pool's buckets.
  EXPECT_THAT(text, Not(HasSubstr("KeptBuckets.size")));
}

TEST(SwappedCallees, NothingIsSaidOfAClassThatTheChangeBrings) {
  Files before = {{"pools.py", kPools}};
  Files after = with_edit(before, "pools.py", "self.backup = Buckets()", "self.backup = NewBuckets()");
  after = with_edit(after, "pools.py", "class Pool:", "class NewBuckets(KeptBuckets):\n    pass\n\n\nclass Pool:");
  EXPECT_THAT(explain_of(before, after), Not(HasSubstr("calls now")));
}

constexpr const char* kLosses = R"(import torch.distributed as dist


def mean_loss(loss, mask, group):
    total = (loss * mask).sum()
    return total / mask.sum()


def synced_loss(loss, mask, group):
    total = (loss * mask).sum()
    dist.all_reduce(total, group=group)
    return total / mask.sum()


def other_loss(a, b, c):
    a.foo()
    b.bar()
    c.baz()
    a.foo2()
    b.bar2()


def step(loss, mask, group):
    value = mean_loss(loss, mask, group)
    value.backward()
    return value


if __name__ == "__main__":
    step(None, None, None)
)";

TEST(SwappedCallees, FunctionsThatAreAlikeAreHeldAgainstEachOther) {
  const Files before = {{"losses.py", kLosses}};
  EXPECT_THAT(explain_of(before, with_edit(before, "losses.py", "value = mean_loss(", "value = synced_loss(")),
              HasSubstr("`synced_loss` (`losses.py:9`), called now, issues `all_reduce` over the group passed as "
                        "`group` on `total`; `mean_loss` "
                        "(`losses.py:4`) does not."));
  EXPECT_THAT(explain_of(before, with_edit(before, "losses.py", "value = mean_loss(", "value = other_loss(")),
              Not(HasSubstr("called now")));
}

}  // namespace
}  // namespace lockstep::render
