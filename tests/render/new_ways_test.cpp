// A new branch that is a long way of its own.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kHead = "import torch.distributed as dist\n\n\nclass Reducer:\n    def reduce(self, grads, group):\n";
const std::string kTail =
    "        for grad in grads:\n            dist.all_reduce(grad, group=group)\n        return grads\n\n"
    "    def reduce_in_fp32(self, grad, group):\n        \"\"\"Sums in full precision.\"\"\"\n"
    "        dist.all_to_all_single(grad, grad, group=group)\n        return grad, None\n";
const std::string kOld =
    "        for grad in grads:\n            dist.all_reduce(grad, group=group)\n        return grads\n";

std::string way(const std::string& end) {
  return "        if self.full_precision and group.size() > 2:\n            outputs, handles = [], []\n"
         "            if len(grads) > 1:\n                for grad in grads:\n"
         "                    out, handle = self.reduce_in_fp32(grad, group)\n"
         "                    outputs.append(out)\n                    handles.append(handle)\n            else:\n"
         "                out, handle = self.reduce_in_fp32(grads[0], group)\n"
         "                outputs.append(out)\n                handles.append(handle)\n"
         "            self.pending_handles_of_this_reducer.extend(handles)\n"
         "            self.finished_outputs_of_this_reducer.extend(outputs)\n" +
         end;
}

std::string text_of(const std::string& end) {
  return explain_of({{"reduce.py", kHead + kOld}}, {{"reduce.py", kHead + way(end) + kTail}});
}

TEST(NewWays, ALongBranchIsToldInOneSentence) {
  const std::string text = text_of("            return outputs\n");
  EXPECT_TRUE(says(text,
                   "when `self.full_precision` is set and `group.size()` is more than `2`, goes a way of its own of 12 "
                   "steps, with `self.reduce_in_fp32`, which can issue `all_to_all_single`, and returns `outputs`; "
                   "otherwise as before."))
      << text;
}

/// One at the end of which the function goes on leaves nothing as it was; a short one is told step by step.
TEST(NewWays, WhatGoesOnIsNotAsBefore) {
  EXPECT_FALSE(says(text_of(""), "otherwise as before"));
  const std::string brief =
      explain_of({{"reduce.py", kHead + kOld}},
                 {{"reduce.py",
                   kHead +
                       "        if self.full_precision:\n            out, handle = self.reduce_in_fp32(grads, group)\n"
                       "            return out\n" +
                       kTail}});
  EXPECT_FALSE(says(brief, "way of its own")) << brief;
}

}  // namespace
}  // namespace lockstep::render
