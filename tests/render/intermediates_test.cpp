// Locals that only serve other changed steps: what is done with them is told, with what they are, not they.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kBefore = "def log(args):\n    layers = count(args)\n    report(layers=layers, freq=args.freq)\n";

TEST(Intermediates, WhatIsDoneWithALocalIsToldWithWhatItIs) {
  const std::string text =
      explain_of({{"a.py", kBefore}}, {{"a.py",
                                        "def log(args):\n    layers = count(args)\n"
                                        "    main = args.pattern.total\n    extra = args.depth or 0\n"
                                        "    moe_layers = main + extra\n"
                                        "    report(layers=layers, freq=args.freq, moe_layers=moe_layers)\n"
                                        "    store(moe_layers)\n"}});
  EXPECT_TRUE(says(text,
                   "passes `moe_layers=moe_layers` to `report` (`moe_layers` being `main + extra`, `main` being "
                   "`args.pattern.total`, `extra` being `args.depth or 0`)"))
      << text;
  EXPECT_FALSE(says(text, "sets `main` to") || says(text, "sets `extra` to")) << text;
}

/// A mean over some of the values says nothing without which ones; that they are kept otherwise comes last.
TEST(Intermediates, WhatTheValueReadsIsToldWithIt) {
  const Files before = {
      {"a.py",
       "import numpy as np\n\n\ndef f(rewards, turns):\n    rewards = np.array(rewards)\n"
       "    means = rewards.mean(axis=1).repeat(turns)\n    stds = rewards.std(axis=1).repeat(turns)\n"
       "    scales = rewards.max(axis=1).repeat(turns)\n"
       "    return (rewards - means) / stds / scales\n"}};
  const std::string text = explain_of(
      before, {{"a.py",
                "import numpy as np\n\n\ndef f(rewards, turns):\n    rewards = np.asarray(rewards, dtype=np.float64)\n"
                "    real = turns > 0\n    mean = np.where(real, rewards, 0.0).sum(axis=-1)\n"
                "    spread = np.where(real, rewards - mean, 0.0)\n    means = mean.repeat(turns)\n"
                "    stds = spread.std(axis=1).repeat(turns)\n    scales = spread.max(axis=1).repeat(turns, 1)\n"
                "    return (rewards - means) / stds / scales * 2\n"}});
  EXPECT_TRUE(says(text, "(`mean` being `np.where(real, rewards, 0.0).sum(axis=-1)`, `real` being `turns > 0`)"))
      << text;
  EXPECT_TRUE(says(text, "(`spread` being `np.where(real, rewards - mean, 0.0)`)")) << text;
  EXPECT_FALSE(says(text, "sets `rewards` to `np.asarray")) << text;
}

TEST(Intermediates, AValueThatAnUnchangedStepReadsIsTold) {
  const std::string text =
      explain_of({{"a.py", "def f(x):\n    if x:\n        y = g(x)\n    else:\n        y = 0\n    return h(y)\n"}},
                 {{"a.py", "def f(x):\n    y = x.size\n    return h(y)\n"}});
  EXPECT_TRUE(says(text, "sets `y` to `x.size`")) << text;
}

TEST(Intermediates, AWaitForTheGpuIsToldWhateverItServes) {
  const std::string text = explain_of(
      {{"a.py", "import torch\n\n\ndef f(x: torch.Tensor):\n    return g(x[0].item())\n"}},
      {{"a.py",
        "import torch\n\n\ndef f(x: torch.Tensor):\n    values = x.tolist()\n    return g(values[0], values[1])\n"}});
  EXPECT_TRUE(says(text, "sets `values` to `x.tolist()`")) << text;
}

TEST(Intermediates, NeitherMovesNorLossesOfLocalsStandBelowTheirDifference) {
  const std::string before = "def f(x):\n    a = x.rows\n    b = list(x)\n    rank = rank_of(x)\n    return b[rank]\n";
  const std::string after = "def f(x):\n    rank = rank_of(x)\n    b = list(x)\n    return b[rank:]\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, "- Moves `rank") || says(text, "- No longer sets `a`")) << text;
}

TEST(Intermediates, AValueThatBranchesSetIsToldWithAllOfThem) {
  const std::string text =
      explain_of({{"a.py",
                   "def f(x):\n    if x.hybrid:\n        layers = count(x)\n    else:\n        layers = x.layers\n    "
                   "report(layers)\n"}},
                 {{"a.py",
                   "def f(x):\n    if x.hybrid:\n        size = parse(x)\n    else:\n        size = x.size\n"
                   "    layers = x.layers + 1\n    report(layers)\n    keep(size)\n"}});
  EXPECT_TRUE(
      says(text, "sets `layers` to `x.layers + 1` instead of `count(x)` or `x.layers` (depending on the branch)"))
      << text;
}

TEST(Checks, AreToldWithWhatTheyStandBeforeNow) {
  const std::string text = explain_of(
      {{"a.py",
        "import math\n\n\ndef step(self, loss):\n    self.clip(loss)\n    self.optimizer.step()\n    "
        "self.scheduler.step()\n"
        "    total = reduce(loss)\n    if not math.isfinite(total):\n        raise RuntimeError(total)\n    return "
        "total\n"}},
      {{"a.py",
        "import math\nimport torch\n\n\ndef step(self, loss):\n    self.clip(loss)\n    "
        "torch._assert_async(torch.isfinite(loss))\n"
        "    self.optimizer.step()\n    self.scheduler.step()\n    total = reduce(loss)\n    return total\n"}});
  EXPECT_TRUE(says(
      text,
      "calls `torch._assert_async(torch.isfinite(loss))`, which checks on the device, without making the host wait, "
      "before `self.optimizer.step()` and `self.scheduler.step()`"))
      << text;
  EXPECT_TRUE(says(text, "is false, which stood behind `self.optimizer.step()` and `self.scheduler.step()`")) << text;
}

TEST(Checks, SayNothingOfWhatStandsInAnotherBranch) {
  const std::string text = explain_of(
      {{"a.py",
        "def step(self, x):\n    if x.fast:\n        self.run()\n    else:\n        if x < 0:\n            raise "
        "ValueError(x)\n        self.walk()\n    self.end()\n"}},
      {{"a.py",
        "def step(self, x):\n    assert x.isfinite()\n    if x.fast:\n        self.run()\n    else:\n        "
        "self.walk()\n    self.end()\n"}});
  EXPECT_FALSE(says(text, "stood behind")) << text;
}

TEST(Checks, SayNothingOfWhatTheyStoodBeforeAnyway) {
  const std::string was = "def step(self, x):\n    if x < 0:\n        raise ValueError(x)\n    self.run()\n";
  const std::string text =
      explain_of({{"a.py", was}}, {{"a.py", "def step(self, x):\n    assert x.isfinite()\n    self.run()\n"}});
  EXPECT_FALSE(says(text, "before `self.run()`") || says(text, "stood behind")) << text;
}

const std::string kTrainer =
    "class Trainer:\n    def train_step(self, batch):\n        loss = self.model(batch)\n        self.step(loss)\n\n\n";

TEST(PassedBy, AnOverrideThatDoesNotCallTheChangedMethodIsARisk) {
  const std::string heirs =
      "class Flux(Trainer):\n    def train_step(self, batch):\n        self.step(batch)\n\n\n"
      "class Graph(Trainer):\n    def train_step(self, batch):\n        return super().train_step(batch)\n";
  const std::string after =
      replace_all(kTrainer, "        self.step(loss)\n",
                  "        if not loss:\n            raise ValueError(loss)\n        self.step(loss)\n");
  const std::string text = explain_of({{"a.py", kTrainer + heirs}}, {{"a.py", after + heirs}});
  EXPECT_TRUE(says(text,
                   "`Flux.train_step` (`a.py:10`) stands in the place of `Trainer.train_step` and is not touched: "
                   "what changes there does not reach it. `Graph.train_step` (`a.py:15`) calls the changed one."))
      << text;
}

TEST(PassedBy, NothingIsSaidOfOverridesThatCallItOrChangeToo) {
  const std::string heir =
      "class Graph(Trainer):\n    def train_step(self, batch):\n        return super().train_step(batch)\n";
  const std::string other = "class Flux(Trainer):\n    def train_step(self, batch):\n        self.step(batch)\n\n\n";
  const std::string after = replace_all(kTrainer, "self.step(loss)", "self.step(loss * 2)");
  const std::string text =
      explain_of({{"a.py", kTrainer + other + heir}},
                 {{"a.py", after + replace_all(other, "step(batch)\n\n", "step(batch * 2)\n\n") + heir}});
  EXPECT_FALSE(says(text, "in the place of `Trainer.train_step`")) << text;
}

TEST(VariableRoles, SayWhatALocalIsFor) {
  const std::string text = explain_of({{"a.py", "def f(x):\n    return x\n"}},
                                      {{"a.py",
                                        "def f(x):\n    limit = x.bound * 2\n    total = torch.zeros(limit)\n"
                                        "    total.add_(x)\n    if limit > 3:\n        send(limit)\n"
                                        "    x.kept = total\n    return len(total)\n"}});
  EXPECT_TRUE(says(text,
                   "`limit` (line 2): is passed to `torch.zeros` (line 3); decides the branch at line 5; is "
                   "passed to `send` (line 6)."))
      << text;
  EXPECT_TRUE(says(text,
                   "`total` (line 3): is changed in place by `add_` (line 4); is kept as `x.kept` (line 7); goes "
                   "into what is returned (line 8)."))
      << text;
}

TEST(Limits, WhatTheChangeLeavesToDoIsARisk) {
  const std::string other = "\n\ndef g(x):\n";
  const std::string text =
      explain_of({{"a.py", "def f(x):\n    return x\n" + other + "    return x\n"}},
                 {{"a.py", "def f(x):\n    return x / 2\n" + other +
                               "    # TODO: the loss is scaled after it was attached, so this adjusts "
                               "logs only.\n    return x\n"}});
  EXPECT_TRUE(says(text,
                   "Its author’s own words (`a.py:6`): “TODO: the loss is scaled after it was attached, so this "
                   "adjusts logs only.”"))
      << text;
}

// The sentence ends in a line that stays.
TEST(Limits, ASentenceOfWhichOneLineChangesIsQuotedToItsEnd) {
  const std::string rest = "    #       local tensors. Revisit this.\n    assert x\n    return ";
  const std::string head = "def f(x):\n    # TODO: cannot handle an uneven ";
  const std::string text = explain_of({{"a.py", head + "length because of\n" + rest + "x\n"}},
                                      {{"a.py", head + "count because of\n" + rest + "x / 2\n"}});
  EXPECT_TRUE(says(text, "`a.py:2`: “TODO: cannot handle an uneven count because of local tensors.”")) << text;
}

TEST(Reasons, AShortCommentIsQuotedWhole) {
  const std::string text = explain_of({{"a.py", "def f(x):\n    return x\n"}},
                                      {{"a.py",
                                        "def f(x):\n    # The wrapper may disable its hooks for the first step. Read "
                                        "them anew, because a copy\n    # would be stale.\n    return g(x)\n"}});
  EXPECT_TRUE(says(text,
                   "“The wrapper may disable its hooks for the first step. Read them anew, because a copy would "
                   "be stale.”"))
      << text;
}

TEST(Intermediates, WhatANewPredicateGivesIsToldInTheWordsOfItsCall) {
  const std::string was = "class Layer:\n    def build(self, projection):\n        self.projection = projection\n";
  const std::string now =
      "def is_parallel(module):\n    return isinstance(module, Parallel) and module.module\n\n\nclass Layer:\n    def "
      "build(self, "
      "projection):\n        self.projection = projection\n        if is_parallel(self.projection):\n            "
      "self.projection.wait_first(True)\n";
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(
      text, "`is_parallel(self.projection)` being `isinstance(self.projection, Parallel) and self.projection.module`"))
      << text;
}

}  // namespace
}  // namespace lockstep::render
