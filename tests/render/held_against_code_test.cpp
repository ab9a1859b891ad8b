// Sentences that the code around a change refutes: on calls that only moved, on what was asked before, on branches that
// decide, and on tests that expect to be refused.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kWrappers =
    "class Wrapper:\n    def __init__(self, module):\n        self.module = module\n\n\n"
    "class Full(Wrapper):\n    def __init__(self, module):\n        self.module = module\n        self.buckets = []\n\n"
    "    def release(self):\n        self.module = None\n\n\n"
    "class Sharded(Wrapper):\n    def step(self):\n        return self.module\n\n\n"
    "def wrap(config, module):\n    kind = Sharded if config.shard else Full\n    return kind(module)\n";

std::string told_of_wrappers(const std::string& before, const std::string& after, const std::string& more = "") {
  const std::string opening = "from wrappers import wrap\n\n\n";
  return explain_of({{"wrappers.py", kWrappers}, {"a.py", opening + before}, {"b.py", opening + more}},
                    {{"wrappers.py", kWrappers}, {"a.py", opening + after}, {"b.py", opening + more}});
}

TEST(HeldAgainstCode, ACallThatMovesIsNoNewOne) {
  const std::string both =
      "def run(config, module):\n    model = wrap(config, module)\n    for i in range(3):\n"
      "        print(i)\n    model.release()\n    return module\n";
  const std::string split =
      "def finish(config, module):\n    model = wrap(config, module)\n    model.release()\n"
      "    return module\n\n\ndef run(config, module):\n    for i in range(3):\n"
      "        print(i)\n    return finish(config, module)\n";
  const std::string text = told_of_wrappers(both, split);
  EXPECT_FALSE(says(text, "by the value flow")) << text;
  const std::string fresh = told_of_wrappers(replace_all(both, "    model.release()\n", ""), split);
  EXPECT_TRUE(says(fresh, "`finish` calls `release` of `model` now")) << fresh;
}

TEST(HeldAgainstCode, WhatTheOldCodeAskedOfTheObjectIsNoQuestion) {
  const std::string run = "def run(config, module):\n    model = wrap(config, module)\n    return model.module\n";
  const std::string now = replace_all(run, "    return", "    model.release()\n    return");
  EXPECT_TRUE(says(told_of_wrappers(run, now), "by the value flow"));
  // The same method, elsewhere in the code that stays.
  const std::string other = "def stop(config, module):\n    model = wrap(config, module)\n    model.release()\n";
  EXPECT_FALSE(says(told_of_wrappers(run, now, other), "by the value flow"));
  const std::string asked =
      replace_all(other, "    model.release()\n", "    if isinstance(model, int):\n        model.release()\n");
  EXPECT_TRUE(says(told_of_wrappers(run, now, asked), "by the value flow"));
  // Another thing that the class lacks, in the same function.
  const std::string needs = replace_all(run, "    return", "    print(model.buckets)\n    return");
  const std::string needs_now = replace_all(needs, "    return", "    model.release()\n    return");
  EXPECT_FALSE(says(told_of_wrappers(needs, needs_now), "by the value flow"));
  // What both have says nothing.
  const std::string has = replace_all(run, "    return", "    print(model.module)\n    return");
  EXPECT_TRUE(says(told_of_wrappers(has, replace_all(has, "    return", "    model.release()\n    return")),
                   "by the value flow"));
}

TEST(HeldAgainstCode, CommunicationThatMovesIsNotMore) {
  const std::string before = R"(import torch.distributed as dist


def sync(grad):
    dist.all_reduce(grad)


def sync_all(grads):
    for grad in grads:
        sync(grad)


def train_step(grads, config):
    one(grads, config)
    two(grads)


def one(grads, config):
    if config.early:
        sync_all(grads)
    return grads


def two(grads):
    dist.broadcast(grads[0], 0)
    return grads
)";
  const std::string later = replace_all(before, "def two(grads):\n", "def two(grads):\n    sync(grads[0])\n");
  const auto told = [&](const std::string& after) { return explain_of({{"a.py", before}}, {{"a.py", after}}); };
  const std::string moved = told(replace_all(later, "if config.early:", "if config.early and not config.deferred:"));
  EXPECT_TRUE(says(moved, "Where it communicates or waits may move")) << moved;
  const std::string more = told(replace_all(later, "return grads\n\n\ndef two", "return list(grads)\n\n\ndef two"));
  EXPECT_TRUE(says(more, "It may communicate or wait where it did not")) << more;
  // What communicated not at all.
  const auto quiet = [](const std::string& text) { return replace_all(text, "    dist.broadcast(grads[0], 0)\n", ""); };
  const std::string gained = replace_all(quiet(later), "if config.early:", "if config.early and not config.deferred:");
  const std::string takes = explain_of({{"a.py", quiet(before)}}, {{"a.py", gained}});
  EXPECT_TRUE(says(takes, "before, no way to one was found. Where it communicates or waits may move")) << takes;
}

TEST(HeldAgainstCode, ACollectiveBelowComesWithItsCondition) {
  const std::string lib =
      "import torch.distributed as dist\n\n\ndef sync(x, group, flat):\n    if flat:\n"
      "        dist.all_gather_into_tensor(x, x, group=group)\n    else:\n        dist.all_gather([x], x, "
      "group=group)\n";
  const auto told = [&](const std::string& given) {
    const std::string f =
        "from lib import sync\n\n\ndef f(x, group, flat):\n    sync(x, group, " + given + ")\n    return x\n";
    return explain_of({{"lib.py", lib}, {"a.py", f}},
                      {{"lib.py", lib}, {"a.py", replace_all(f, "sync(x,", "sync(x + 1,")}});
  };
  const std::string open = told("flat");
  EXPECT_TRUE(says(open, "(when `flat` is set)") && says(open, "(when `flat` is not set)")) << open;
  const std::string closed = told("True");
  EXPECT_TRUE(says(closed, "`all_gather_into_tensor`")) << closed;
  EXPECT_FALSE(says(closed, "(when `flat`")) << closed;
  // A way out before it is a condition, too; not that of a rank that is alone.
  const std::string left = replace_all(lib, "    if flat:", "    if group.size() == 1:\n        return\n    if flat:");
  const std::string f = "from lib import sync\n\n\ndef f(x, group, flat):\n    sync(x, group, True)\n    return x\n";
  const auto through = [&](const std::string& with) {
    return explain_of({{"lib.py", with}, {"a.py", f}},
                      {{"lib.py", with}, {"a.py", replace_all(f, "sync(x,", "sync(x + 1,")}});
  };
  const std::string alone = through(left);
  EXPECT_FALSE(says(alone, "(when ")) << alone;
  const std::string out = through(replace_all(left, "group.size() == 1", "x is None"));
  EXPECT_TRUE(says(out, "`all_gather_into_tensor` over the group passed as `group` (when `x` is not `None`)")) << out;
}

TEST(HeldAgainstCode, FieldsOfOneNameAreSeveralSettings) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass DdpConfig:\n    overlap: bool = False\n"
      "    other: int = 1\n\n\n@dataclass\nclass OptimizerConfig:\n    overlap: bool = False\n    reuse: bool = "
      "False\n";
  const auto code = [](const std::string& more, const std::string& also) {
    return "from config import DdpConfig, OptimizerConfig\n\n\nclass Optimizer:\n"
           "    def __init__(self, config: OptimizerConfig, ddp_config: DdpConfig):\n        self.config = config\n"
           "        self.ddp_config = ddp_config\n\n    def step(self, x):\n" +
           more + "        return x\n\n\ndef main(x):\n    config = OptimizerConfig()\n" + also +
           "    return Optimizer(config, DdpConfig()).step(x)\n";
  };
  const auto told = [&](const std::string& more) {
    return explain_of({{"config.py", config}, {"a.py", code("", "")}},
                      {{"config.py", config}, {"a.py", code(more, "")}});
  };
  const std::string both = told(
      "        if not self.ddp_config.overlap:\n            x = x + 1\n"
      "        if not self.config.overlap:\n            x = x * 2\n");
  EXPECT_TRUE(says(both, "`overlap` (`config.py:6`)") && says(both, "`overlap` (`config.py:12`)")) << both;
  const std::string one = told("        if not self.config.overlap:\n            x = x * 2\n");
  EXPECT_TRUE(says(one, "`overlap` (`config.py:12`)") && !says(one, "`config.py:6`")) << one;
}

TEST(HeldAgainstCode, NewFunctionsThatDoTheWorkComeFirst) {
  const std::string before = R"(import torch.distributed as dist


def sync(grad):
    dist.all_reduce(grad)


def train_step(grads):
    for grad in grads:
        sync(grad)
    return grads
)";
  const std::string after = R"(import torch.distributed as dist


def sync(grad):
    dist.all_reduce(grad)


def collect(grads):
    out = []
    seen = set()
    for grad in grads:
        if grad is None:
            continue
        if id(grad) in seen:
            continue
        if grad.is_shared:
            continue
        seen.add(id(grad))
        if grad.parts:
            for part in grad.parts:
                out.append(part)
        else:
            out.append(grad)
    return out


def start(collected):
    for grad in collected:
        sync(grad)


def train_step(grads):
    collected = collect(grads)
    start(collected)
    return grads
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  const std::size_t worker = text.find("### `start`");
  const std::size_t helper = text.find("### `collect`");
  EXPECT_TRUE(worker != std::string::npos && helper != std::string::npos && worker < helper) << text;
  // What is given nothing of it.
  const std::string apart =
      explain_of({{"a.py", before}}, {{"a.py", replace_all(after, "start(collected)", "start(grads)")}});
  EXPECT_TRUE(apart.find("### `collect`") < apart.find("### `start`")) << apart;
}

TEST(HeldAgainstCode, ATestThatExpectsAnErrorSaysSo) {
  const auto code = [](const std::string& more) {
    return "def update(x):\n    y = x + 1\n    y = y * 2\n" + more +
           "    return y\n\n\ndef finish(x, group):\n    assert group is not None\n    return update(x)\n";
  };
  const auto told = [&](const std::string& tests) {
    const std::string all = "import pytest\nfrom lib.a import finish\n\n\n" + tests;
    return explain_of({{"lib/a.py", code("")}, {"tests/test_a.py", all}},
                      {{"lib/a.py", code("    y = y - 3\n    y = y * y\n")}, {"tests/test_a.py", all}});
  };
  const std::string refused = "def test_refused():\n    with pytest.raises(AssertionError):\n        finish(1, None)\n";
  const std::string runs = "\n\ndef test_runs():\n    assert finish(1, 2) == 1\n";
  const std::string alone = told(refused);
  EXPECT_TRUE(says(alone, "`test_refused` (`tests/test_a.py:5`, expects `AssertionError`)")) << alone;
  const std::string both = told(refused + runs);
  EXPECT_TRUE(says(both, "`test_runs`")) << both;
  EXPECT_FALSE(says(both, "`test_refused`")) << both;
  // It comes there elsewhere, too.
  const std::string twice = told(refused + "    assert finish(1, 2) == 1\n");
  EXPECT_TRUE(says(twice, "`test_refused` (`tests/test_a.py:5`)")) << twice;
}

}  // namespace
}  // namespace lockstep::render
