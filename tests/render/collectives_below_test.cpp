// Which collectives are told of what a function calls: those that its arguments leave, over the groups that it gives.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// A checkpoint as Megatron has it: its backward pass gathers only what `forward` was told to distribute.
const std::string kCheckpoint = R"(import torch
import torch.distributed as dist


def gather(x, group):
    dist.all_gather_into_tensor(x, x, group=group)
    return x


class Checkpoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, run, distribute, *args):
        ctx.distribute = distribute
        ctx.run = run
        return run(*args)

    @staticmethod
    def backward(ctx, grad):
        if ctx.distribute:
            grad = gather(grad, ctx.run)
        return None, None, grad


def checkpoint(run, distribute, *args):
    return Checkpoint.apply(run, distribute, *args)
)";

std::string explain_checkpoint(const std::string& lib, const std::string& given) {
  const std::string f = "from lib import checkpoint\n\n\ndef f(x, group, flag):\n    y = checkpoint(abs, " + given +
                        ", x)\n    return y\n";
  return explain_of({{"lib.py", lib}, {"a.py", replace_all(f, "return y", "return x")}},
                    {{"lib.py", lib}, {"a.py", replace_all(f, ", x)", ", x + 1)")}});
}

TEST(CollectivesBelow, WhatTheContextOfABackwardPassClosesIsNotTold) {
  EXPECT_FALSE(says(explain_checkpoint(kCheckpoint, "False"), "all_gather_into_tensor"))
      << explain_checkpoint(kCheckpoint, "False");
  for (const std::string& open : {std::string("True"), std::string("flag")}) {
    const std::string text = explain_checkpoint(kCheckpoint, open);
    EXPECT_TRUE(says(text, "`all_gather_into_tensor`") && says(text, "in a backward pass only")) << text;
  }
  // What is set twice may be either.
  const std::string twice =
      replace_all(kCheckpoint, "        ctx.run = run\n", "        ctx.run = run\n        ctx.distribute = run\n");
  EXPECT_TRUE(says(explain_checkpoint(twice, "False"), "in a backward pass only"));
  // Another call opens what this one closes.
  const std::string both =
      kCheckpoint + "\n\ndef checkpoint_all(run, x):\n    return checkpoint(run, True, checkpoint(run, False, x))\n";
  const std::string f = "from lib import checkpoint_all\n\n\ndef f(x):\n    y = checkpoint_all(abs, x)\n    return y\n";
  const std::string text =
      explain_of({{"lib.py", both}, {"a.py", f}}, {{"lib.py", both}, {"a.py", replace_all(f, "abs, x", "abs, x + 1")}});
  EXPECT_TRUE(says(text, "in a backward pass only")) << text;
}

/// An exchange whose backward pass is the exchange again.
TEST(CollectivesBelow, WhatForwardAndBackwardPassIssueIsToldOnce) {
  const std::string lib =
      "import torch\nimport torch.distributed as dist\n\n\nclass Swap(torch.autograd.Function):\n    @staticmethod\n"
      "    def forward(ctx, x, sizes):\n        ctx.sizes = sizes\n        y = torch.empty_like(x)\n"
      "        dist.all_to_all_single(y, x)\n        return y\n\n    @staticmethod\n    def backward(ctx, grad):\n"
      "        return Swap.apply(grad, ctx.sizes), None\n\n\ndef swap(x, sizes=None):\n"
      "    return Swap.apply(x, sizes)\n";
  const std::string f = "from lib import swap\n\n\ndef f(x):\n    y = swap(x)\n    return y\n";
  const std::string text =
      explain_of({{"lib.py", lib}, {"a.py", f}}, {{"lib.py", lib}, {"a.py", replace_all(f, "swap(x)", "swap(x + 1)")}});
  EXPECT_TRUE(says(text, "`Swap.forward` (`lib.py:7`): `all_to_all_single` over all ranks")) << text;
  EXPECT_FALSE(says(text, "in a backward pass only")) << text;
}

TEST(CollectivesBelow, AGroupThatAParameterMayGiveIsToldWithItsDefault) {
  const auto text_of = [](const std::string& fill) {
    const std::string lib = "import torch.distributed as dist\n\n\ndef collect(x, shard_group=None):\n" + fill +
                            "    out = [None] * 2\n    dist.all_gather_object(out, x, group=shard_group)\n"
                            "    return out\n";
    return explain_of({{"lib.py", "def other():\n    return 1\n"}}, {{"lib.py", lib}});
  };
  const std::string filled = "    if shard_group is None:\n        shard_group = dist.group.WORLD\n";
  EXPECT_TRUE(says(text_of(filled), "over the group passed as `shard_group`, by default all ranks")) << text_of(filled);
  // Where it is set in any case, nobody passes it on.
  const std::string set = "    shard_group = dist.group.WORLD\n";
  EXPECT_TRUE(says(text_of(set), "`all_gather_object` over all ranks")) << text_of(set);
  EXPECT_FALSE(says(text_of(set), "by default all ranks")) << text_of(set);
}

TEST(CollectivesBelow, WhatACallerPassesOnMayBeAnyGroup) {
  const std::string lib =
      "import torch.distributed as dist\n\n\ndef collect(x, shard_group=None):\n"
      "    if shard_group is None:\n        shard_group = dist.group.WORLD\n"
      "    out = [None] * 2\n    dist.all_gather_object(out, x, group=shard_group)\n    return out\n";
  const std::string f = "from lib import collect\n\n\ndef f(x, shard):\n    y = collect(x, shard)\n    return y\n";
  const std::string text = explain_of({{"lib.py", lib}, {"a.py", f}},
                                      {{"lib.py", lib}, {"a.py", replace_all(f, "collect(x,", "collect(x + 1,")}});
  EXPECT_TRUE(says(text, "`all_gather_object` over the group passed as `shard_group`, by default all ranks")) << text;
}

TEST(CollectivesBelow, WhatIsOnlyAskedWhetherItIsThereIsNoDataFlow) {
  const std::string before = "import torch\n\n\ndef f(x, mask):\n    y = torch.relu(x)\n    return y\n";
  const std::string after =
      "import torch\n\n\ndef f(x, mask):\n    y = torch.relu(x)\n    z = torch.cat([y, y * (mask is not None)])\n"
      "    return z.reshape(-1)\n";
  const std::string text = dive_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, "\"in: mask\"")) << text;
  const std::string used = replace_all(after, "(mask is not None)", "mask");
  EXPECT_TRUE(says(dive_of({{"a.py", before}}, {{"a.py", used}}), "in: mask"))
      << dive_of({{"a.py", before}}, {{"a.py", used}});
}

/// A norm of one kind or another; nobody asks for the infinite one.
const std::string kNorm =
    "import torch.distributed as dist\nfrom torch import inf\n\n\ndef norm(x, tp_group, norm_type=2):\n"
    "    norm_type = float(norm_type)\n    if norm_type == inf:\n"
    "        dist.all_reduce(x, op=dist.ReduceOp.MAX, group=tp_group)\n    else:\n"
    "        dist.all_reduce(x, group=tp_group)\n    return x\n";

std::string explain_norm(const std::string& lib, const std::string& given) {
  const std::string f =
      "from lib import norm\n\n\ndef f(x, tp_group, kind):\n    y = norm(x, tp_group" + given + ")\n    return y\n";
  return explain_of({{"lib.py", lib}, {"a.py", f}},
                    {{"lib.py", lib}, {"a.py", replace_all(f, "norm(x,", "norm(x + 1,")}});
}

TEST(CollectivesBelow, WhatOnlyAnInfiniteNumberOpensIsNotTold) {
  const std::string text = explain_norm(kNorm, "");
  EXPECT_TRUE(says(text, "`norm` (`lib.py:5`): `all_reduce` over")) << text;
  EXPECT_FALSE(says(text, "(`MAX`)") || says(text, "norm_type")) << text;
  // Who gives a value may give that one.
  EXPECT_TRUE(says(explain_norm(kNorm, ", kind"), "(`MAX`)"));
  // Another conversion may make anything of it.
  const std::string other = replace_all(kNorm, "float(norm_type)", "pick(norm_type)");
  EXPECT_TRUE(says(explain_norm(other, ""), "(`MAX`)"));
}

}  // namespace
}  // namespace lockstep::render
