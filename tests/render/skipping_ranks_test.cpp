// Collectives below a new call that ranks without parts pass over.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// A function that reduces a norm on all ranks; `first` is what it does before, `after` what it does behind.
Files clipping(const std::string& first, const std::string& after) {
  return {{"norms.py",
           "import torch.distributed as dist\n\n\ndef reduce_norm(grads):\n    dist.all_reduce(grads)\n"
           "    return grads\n\n\ndef reduce_groups(grads):\n    dist.all_reduce(grads)\n    return grads\n"},
          {"train.py",
           "from norms import reduce_groups, reduce_norm\n\n\nclass Optimizer:\n    def clip(self, limit):\n"
           "        params = self.get_parameters()\n" +
               first + "        norm = reduce_norm(grads)\n" + after +
               "        return norm\n\n\ndef main():\n    Optimizer().clip(1.0)\n\n\n"
               "if __name__ == '__main__':\n    main()\n"}};
}

const std::string kOrEmpty = "        grads = [p.grad for p in params] if params else []\n";
const std::string kIfHeld = "        if limit > 0.0 and params:\n            reduce_groups(params)\n";
const std::string kAsked = "Can it be empty on some ranks of the group alone? The others would wait.";

TEST(SkippingRanks, ANewCallUnderAListThatMayBeEmptyIsAskedAbout) {
  const std::string text = explain_of(clipping(kOrEmpty, ""), clipping(kOrEmpty, kIfHeld));
  EXPECT_TRUE(contains(text,
                       "In `Optimizer.clip` a rank whose `params` is empty takes part in what `reduce_norm(…)` "
                       "(`train.py:8`) comes to, but not in `all_reduce` below the new `reduce_groups(…)` "
                       "(`train.py:10`). " +
                           kAsked))
      << text;
}

TEST(SkippingRanks, WhereTheListIsNotTakenForEmptyNothingIsAsked) {
  const std::string plain = "        grads = [p.grad for p in params]\n";
  EXPECT_FALSE(contains(explain_of(clipping(plain, ""), clipping(plain, kIfHeld)), kAsked));
  const std::string always = "        reduce_groups(params)\n";
  EXPECT_FALSE(contains(explain_of(clipping(kOrEmpty, ""), clipping(kOrEmpty, always)), kAsked));
}

}  // namespace
}  // namespace lockstep::render
