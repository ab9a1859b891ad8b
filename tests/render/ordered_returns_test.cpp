// Functions that leave by the first condition that holds: which case comes to what, before and after.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kSteps = R"(from config import Mode


def legacy(batch):
    return batch


def serial(batch, overlap):
    return batch


def step(mode, batch, prefill):
    if mode is Mode.LEGACY or prefill:
        return legacy(batch)
    if mode is Mode.SERIAL:
        return serial(batch, overlap=False)
    raise AssertionError(mode)
)";

const std::string kNew = R"(from config import Mode


def legacy(batch):
    return batch


def primer(batch):
    """Run admit, then forward."""
    return batch


def overlapped(batch):
    """Run forward while the last one resolves."""
    return batch


def clear():
    print("cleared")


def step(mode, batch, prefill, ready=True):
    if mode is Mode.LEGACY:
        return legacy(batch)
    if mode is not Mode.ASYNC:
        raise AssertionError(mode)
    if not batch:
        clear()
        return primer(batch)
    if ready:
        return overlapped(batch)
    return primer(batch)
)";

const std::string kConfig = "class Mode:\n    LEGACY = 0\n    SERIAL = 1\n    ASYNC = 2\n";
constexpr const char* kCaption = "The first alternative of which the condition holds is taken (`a.py:";

std::string explained(const std::string& before, const std::string& after) {
  return explain_of({{"a.py", before}, {"config.py", kConfig}}, {{"a.py", after}, {"config.py", kConfig}});
}

TEST(OrderedReturns, EachCaseComesWithWhatItCameToAndWhatNewFunctionsAreFor) {
  const std::string text = explained(kSteps, kNew);
  EXPECT_TRUE(says(text, kCaption)) << text;
  EXPECT_TRUE(says(text,
                   "| `mode` is `Mode.LEGACY` | Returns `legacy(batch)` where `mode` is `Mode.LEGACY` or `prefill` is "
                   "set | Returns `legacy(batch)` |"))
      << text;
  EXPECT_TRUE(
      says(text, "| `mode` is not `Mode.ASYNC` | Otherwise, raises `AssertionError` | Raises `AssertionError` |"))
      << text;
  EXPECT_TRUE(says(text,
                   "| `batch` is not set | not asked | Calls `clear`, then returns `primer(batch)`: \u201cRun admit, "
                   "then forward.\u201d (**new**) |"))
      << text;
  EXPECT_TRUE(says(text,
                   "| `ready` is set | not asked | Returns `overlapped(batch)`: \u201cRun forward while the last one "
                   "resolves.\u201d (**new**) |"))
      << text;
  EXPECT_TRUE(says(text, "| `mode` is `Mode.SERIAL` | Returns `serial(batch, overlap=False)` | no longer asked |"))
      << text;
  // What the table tells no sentence says again.
  EXPECT_FALSE(says(text, "- When `ready` is set")) << text;
  EXPECT_FALSE(says(text, "`step`, condition")) << text;
}

TEST(OrderedReturns, ADiveHasTheTable) {
  const std::string text =
      dive_of({{"a.py", kSteps}, {"config.py", kConfig}}, {{"a.py", kNew}, {"config.py", kConfig}});
  EXPECT_TRUE(says(text, kCaption)) << text;
}

TEST(OrderedReturns, WaysOutThatAreNotToldExactlyHaveNone) {
  // A value is returned from within a loop, a branch may go on, or the function may fall off its end.
  const std::string in_loop =
      replace_all(kNew, "    if ready:\n        return overlapped(batch)\n",
                  "    for one in batch:\n        if ready:\n            return overlapped(one)\n");
  const std::string goes_on =
      replace_all(kNew, "    if ready:\n        return overlapped(batch)\n",
                  "    if ready:\n        if prefill:\n            return overlapped(batch)\n        clear()\n");
  const std::string falls_off = replace_all(kNew, "        return overlapped(batch)\n    return primer(batch)\n",
                                            "        return overlapped(batch)\n    primer(batch)\n");
  for (const std::string& after : {in_loop, goes_on, falls_off}) {
    ASSERT_NE(after, kNew);
    const std::string text = explained(kSteps, after);
    EXPECT_FALSE(says(text, kCaption)) << text;
  }
}

TEST(OrderedReturns, OneEditOfOneCaseNeedsNoTable) {
  const std::string one_edit = replace_all(kNew, "    if ready:\n", "    if ready and not prefill:\n");
  ASSERT_NE(one_edit, kNew);
  const std::string text = explained(kNew, one_edit);
  EXPECT_FALSE(says(text, kCaption)) << text;
}

TEST(OrderedReturns, ReturnsThatCallNothingOfTheRepositoryHaveNone) {
  const auto f = [](const std::string& body) { return "def f(a, b, c):\n" + body; };
  const std::string text = explained(f("    if a:\n        return 1\n    return 2\n"),
                                     f("    if a and b:\n        return 1\n    if b:\n        return 3\n    if c:\n"
                                       "        return 4\n    return 2\n"));
  EXPECT_FALSE(says(text, kCaption)) << text;
}

}  // namespace
}  // namespace lockstep::render
