// Which ranks take part in the collectives that a change brings: told where the mesh analysis knows it.
#include <gtest/gtest.h>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kHead = R"(import torch.distributed as dist
from megatron.core import parallel_state as mpu


def reduce_loss(loss, args, tp_group, dp_group, pp_group):
    loss = loss * 2
)";

std::string explained(const std::string& lines) {
  return explain_of({{"a.py", kHead + "    return loss\n"}}, {{"a.py", kHead + lines + "    return loss\n"}});
}

TEST(TakingPart, RanksThatTakeTheSameBranch) {
  EXPECT_TRUE(says(explained("    if mpu.is_pipeline_last_stage():\n        dist.all_reduce(loss, group=dp_group)\n"),
                   "**Ranks that take part:** `all_reduce` over data-parallel group (dp): only when "
                   "`mpu.is_pipeline_last_stage()` is true (line 7). That differs along `pp` alone, so all ranks of "
                   "the group take the same branch."));
  // What else is asked is not known: no word of the branch as a whole.
  EXPECT_TRUE(says(explained("    if args.average and mpu.is_pipeline_last_stage():\n"
                             "        dist.all_reduce(loss, group=dp_group)\n"),
                   "whether it runs also depends on `mpu.is_pipeline_last_stage()` (line 7). That differs along `pp` "
                   "alone, so all ranks of the group agree on it."));
  EXPECT_TRUE(says(explained("    if args.has_last_stage:\n        dist.all_reduce(loss, group=dp_group)\n"),
                   "By its name, that differs along `pp` alone"));
}

TEST(TakingPart, NothingIsSaidWhereTheyMayDifferOrNothingIsKnown) {
  for (const char* lines : {"    if mpu.is_pipeline_last_stage():\n        dist.all_reduce(loss, group=pp_group)\n",
                            "    if args.average:\n        dist.all_reduce(loss, group=dp_group)\n",
                            "    if mpu.is_pipeline_last_stage():\n        dist.all_reduce(loss)\n",
                            "    dist.all_reduce(loss, group=dp_group)\n"})
    EXPECT_FALSE(says(explained(lines), "Ranks that take part")) << lines;
}

TEST(TakingPart, AlsoInWhatACallLeadsTo) {
  const std::string helper =
      "\n\ndef mean(x):\n    dist.all_reduce(x, group=mpu.get_data_parallel_group())\n    return x\n";
  const std::string lines = "    if mpu.is_pipeline_last_stage():\n        loss = mean(loss)\n    return loss\n";
  const std::string text =
      explain_of({{"a.py", kHead + "    return loss\n" + helper}}, {{"a.py", kHead + lines + helper}});
  EXPECT_TRUE(says(text,
                   "`mean(loss)`, which can lead to `all_reduce` over data-parallel group (dp): only when "
                   "`mpu.is_pipeline_last_stage()` is true (line 7)."))
      << text;
}

/// Only what the change brings, or puts under another condition.
TEST(TakingPart, WhatStaysAsItWasIsNoNews) {
  const std::string lines =
      "    if mpu.is_pipeline_last_stage():\n        dist.all_reduce(loss, group=dp_group)\n    return loss";
  const Files before{{"a.py", kHead + lines + "\n"}};
  EXPECT_FALSE(says(explain_of(before, with_edit(before, "a.py", "loss * 2", "loss * 3")), "Ranks that take part"));
  const Files other = with_edit(before, "a.py", "if mpu.is_pipeline_last_stage()", "if args.average");
  EXPECT_TRUE(says(explain_of(other, before), "Ranks that take part"));
}

}  // namespace
}  // namespace lockstep::render
