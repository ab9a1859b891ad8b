// Conditions on a way on whose other side calls come to the changed code, too, and new branches around what was there.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const char* const kRecompute = R"(from torch.utils.checkpoint import checkpoint


def mlp(x, config):
    return x


def layer(x, config):
    if config.recompute:
        y = checkpoint(mlp, x, config)
    else:
        y = mlp(x, config)
    return y


def main(config):
    return layer(1, config)


if __name__ == "__main__":
    main(None)
)";

TEST(OtherSides, AConditionBehindWhichBothSidesLeadThereIsNone) {
  const Files before = {{"a.py", kRecompute}};
  const std::string text = explain_of(before, with_edit(before, "a.py", "    return x\n", "    return x + 1\n"));
  EXPECT_TRUE(says(text, "`mlp` (`a.py:4`)")) << text;
  EXPECT_FALSE(says(text, "`config.recompute` is not set")) << text;
}

/// What the other side does not come to is a condition.
TEST(OtherSides, AConditionBehindWhichOneSideLeadsThereStays) {
  const Files before = {{"a.py", replace_all(kRecompute, "checkpoint(mlp, x, config)", "x")}};
  const std::string text = explain_of(before, with_edit(before, "a.py", "    return x\n", "    return x + 1\n"));
  EXPECT_TRUE(says(text, "`config.recompute` is not set")) << text;
}

TEST(OtherSides, AnEarlyReturnThatLeadsThereIsNoCondition) {
  const Files before = {{"a.py", R"(def work(x):
    return x


def run(x, config):
    if config.fast:
        return work(x)
    return work(x + 1)


if __name__ == "__main__":
    run(1, None)
)"}};
  const std::string text = explain_of(before, with_edit(before, "a.py", "    return x\n", "    return x * 2\n"));
  EXPECT_FALSE(says(text, "config.fast")) << text;
}

const char* const kExchange = R"(import spmd
import torch
import torch.distributed as dist


def exchange(x, group):
    out = spmd.all_to_all(x, group)
    return out


def train_step(x, group):
    return exchange(x, group)


if __name__ == "__main__":
    train_step(1, None)
)";

const char* const kTwoExchanges = R"(def exchange(x, group):
    if torch.compiler.is_compiling():
        out = dist.all_gather_into_tensor(x, x, group=group)
    else:
        out = spmd.all_to_all(x, group)
    return out
)";

TEST(OtherSides, WhatIsCalledStillOtherwiseIsNamedAndNotOneMore) {
  const Files before = {{"a.py", kExchange}};
  const std::string text =
      explain_of(before, with_edit(before, "a.py",
                                   "def exchange(x, group):\n    out = spmd.all_to_all(x, group)\n    return out\n",
                                   kTwoExchanges));
  EXPECT_TRUE(says(text, "otherwise as before (`spmd.all_to_all(\u2026)`)")) << text;
  EXPECT_TRUE(says(text,
                   "takes the place of `spmd.all_to_all(\u2026)` when `torch.compiler.is_compiling()` is true "
                   "(`a.py:8`). One call for another: no communication is added."))
      << text;
  EXPECT_FALSE(says(text, "New communication")) << text;
  EXPECT_TRUE(says(text, "alt when torch.compiler.is_compiling() is true")) << text;
  EXPECT_TRUE(says(text, "spmd.all_to_all(\u2026), as before")) << text;
}

/// A schedule of pipeline stages runs the same modules.
TEST(OtherSides, AScheduleOfPipelineStagesIsNoOtherWay) {
  const std::string body = R"(class Model:
    def forward(self, x):
        return x


class Trainer:
    def __init__(self, model, schedule):
        self.model = Model()
        self.pp_schedule = schedule

    def train_step(self, x, dims):
        if dims.pp_enabled:
            self.pp_schedule.step(x)
        else:
            self.model.forward(x)


if __name__ == "__main__":
    Trainer(None, None).train_step(1, None)
)";
  const Files before = {{"a.py", body}};
  const std::string text =
      explain_of(before, with_edit(before, "a.py", "        return x\n", "        return x + 1\n"));
  EXPECT_FALSE(says(text, "dims.pp_enabled")) << text;
  const Files other = {{"a.py", replace_all(body, "self.pp_schedule.step(x)", "self.log(x)")}};
  const std::string stays = explain_of(other, with_edit(other, "a.py", "        return x\n", "        return x + 1\n"));
  EXPECT_TRUE(says(stays, "dims.pp_enabled")) << stays;
}

/// What is only done once more beforehand is no condition; what alone leads there is.
TEST(OtherSides, ARepetitionThatASettingAsksForIsNoCondition) {
  const std::string body = R"(def generate(x):
    return x


def main(args):
    if args.graphs:
        generate(0)
    if args.stream:
        print(args)
    else:
        generate(1)


if __name__ == "__main__":
    main(None)
)";
  const Files before = {{"a.py", body}};
  const std::string text = explain_of(before, with_edit(before, "a.py", "    return x\n", "    return x + 1\n"));
  EXPECT_TRUE(says(text, "`generate` (`a.py:1`)")) << text;
  EXPECT_FALSE(says(text, "args.graphs")) << text;
  const Files other = {{"a.py", replace_all(body, "        generate(1)\n", "        print(1)\n")}};
  const std::string stays = explain_of(other, with_edit(other, "a.py", "    return x\n", "    return x + 1\n"));
  EXPECT_TRUE(says(stays, "`args.graphs` is set")) << stays;
}

}  // namespace
}  // namespace lockstep::render
