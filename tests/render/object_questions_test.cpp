// Questions on what a change takes for granted: that an object has a method, that memory is there still, that a key
// says all, that all ranks come to a collective, that nothing is thrown where nobody catches any more.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "report/author/named_commits.h"

namespace lockstep::render {
namespace {

constexpr std::string_view kWrappers =
    "class Wrapper:\n    def __init__(self, module):\n        self.module = module\n\n\n"
    "class Full(Wrapper):\n    def release(self):\n        self.module = None\n\n\n"
    "class Sharded(Wrapper):\n    def step(self):\n        return self.module\n\n\n"
    "def wrap(config, module):\n    kind = Sharded if config.shard else Full\n    return kind(module)\n";

TEST(ObjectQuestions, AMethodThatAnotherClassOfTheFamilyLacks) {
  const auto code = [](const std::string& body) {
    return "from wrappers import Full, Sharded, wrap\n\n\ndef run(config, module):\n    model = wrap(config, "
           "module)\n" +
           body + "    return model.module\n";
  };
  const std::string wrappers(kWrappers);
  const auto told = [&](const std::string& body) {
    return explain_of({{"wrappers.py", wrappers}, {"a.py", code("")}},
                      {{"wrappers.py", wrappers}, {"a.py", code(body)}});
  };
  const std::string text = told("    if config.offload:\n        model.release()\n");
  EXPECT_TRUE(says(text,
                   "`run` calls `release` of `model` now (`a.py:7`, if `config.offload` is set), which `Full` has; by "
                   "the value flow `model` may also be one of `Sharded` (`wrappers.py:11`), without it. Can it be one "
                   "there?"))
      << text;
  // Asked for first.
  EXPECT_FALSE(says(told("    if isinstance(model, Full):\n        model.release()\n"), "by the value flow"));
  EXPECT_FALSE(says(told("    if hasattr(model, 'release'):\n        model.release()\n"), "by the value flow"));
  // Objects of the class may have it nevertheless.
  const std::string set = replace_all(wrappers, "        return self.module\n\n\ndef",
                                      "        return self.module\n\n\nSharded.release = Full.release\n\n\ndef");
  const std::string given = explain_of({{"wrappers.py", set}, {"a.py", code("")}},
                                       {{"wrappers.py", set}, {"a.py", code("    model.release()\n")}});
  EXPECT_FALSE(says(given, "by the value flow")) << given;
  const std::string passes_on = replace_all(
      wrappers, "class Sharded(Wrapper):\n",
      "class Sharded(Wrapper):\n    def __getattr__(self, name):\n        return getattr(self.module, name)\n\n");
  const std::string passed = explain_of({{"wrappers.py", passes_on}, {"a.py", code("")}},
                                        {{"wrappers.py", passes_on}, {"a.py", code("    model.release()\n")}});
  EXPECT_FALSE(says(passed, "by the value flow")) << passed;
}

TEST(ObjectQuestions, WhatIsReadAfterItsMemoryWasFreed) {
  const std::string checkpoint =
      "class Checkpoint:\n    def run(self, function, x):\n        outputs = function(x)\n        self.outputs = "
      "outputs\n"
      "        return outputs\n\n"
      "    def discard(self, hook):\n        for output in self.outputs:\n"
      "            output.untyped_storage().resize_(0)\n        hook.register_hook(self.run)\n";
  const auto layer = [](const std::string& unpack, const std::string& kept) {
    return "from checkpoint import Checkpoint\n\n\nclass Layer:\n    def forward(self, x):\n"
           "        self.checkpoint = Checkpoint()\n        out = self.checkpoint.run(self.norm, x)\n" +
           unpack + "        y = self.attention(out)\n        self.checkpoint.discard(y)\n        return self.add(y, " +
           kept + ")\n";
  };
  const auto told = [&](const std::string& before, const std::string& after) {
    return explain_of({{"checkpoint.py", checkpoint}, {"a.py", before}},
                      {{"checkpoint.py", checkpoint}, {"a.py", after}});
  };
  const std::string unpack = "        out, residual = out\n";
  const std::string text = told(layer("", "x"), layer(unpack, "residual"));
  EXPECT_TRUE(says(text,
                   "`Layer.forward` reads `residual` (`a.py:11`) after `discard` (`a.py:10`) frees what "
                   "`self.checkpoint.run` gave (`checkpoint.py:9`); it has the value from `out, residual = out`. Is "
                   "its memory there still?"))
      << text;
  // Taken from what came in; bound anew; only its shape.
  EXPECT_FALSE(says(told(layer("", "x"), layer("        residual = x\n", "residual")), "memory there still"));
  const std::string copied = replace_all(layer(unpack, "residual"), "        return self.add",
                                         "        residual = x\n        return self.add");
  EXPECT_FALSE(says(told(layer("", "x"), copied), "memory there still"));
  EXPECT_FALSE(says(told(layer("", "x"), layer(unpack, "residual.shape")), "memory there still"));
  // The other arm.
  const std::string arms = replace_all(
      replace_all(layer(unpack, "residual"), "        self.checkpoint.discard(y)\n",
                  "        if self.recompute:\n            self.checkpoint.discard(y)\n            return y\n"),
      "        return self.add(y, residual)",
      "        if not self.recompute:\n            return self.add(y, residual)\n        return y");
  EXPECT_FALSE(says(told(layer("", "x"), replace_all(arms, "            return y\n", "")), "memory there still"));
}

TEST(ObjectQuestions, ACacheWhoseKeyDoesNotHoldAll) {
  const std::string before =
      "class Bias:\n    _cache = {}\n\n    def get(self, layer, logits):\n        return logits\n";
  const auto with = [&](const std::string& key, const std::string& value, const std::string& table) {
    return "class Bias:\n    _cache = {}\n\n    def get(self, layer, logits):\n        if " + key + " not in " + table +
           ":\n            " + table + "[" + key + "] = " + value + "\n        return " + table + "[" + key + "]\n";
  };
  const auto told = [&](const std::string& after) { return explain_of({{"a.py", before}}, {{"a.py", after}}); };
  const std::string text = told(with("layer", "draw(logits.shape[-1], self.std)", "Bias._cache"));
  EXPECT_TRUE(says(text,
                   "`Bias.get` keeps what it works out as `Bias._cache[layer]` (`a.py:6`) and gives it again for the "
                   "same `layer`; it is built from `logits.shape` and `self.std`, too. Are these always the same for "
                   "one `layer`?"))
      << text;
  // One object has one `std`; what the key says, and what is only put in, is no matter.
  const std::string own = told(with("layer", "draw(self.std)", "self.biases"));
  EXPECT_FALSE(says(own, "gives it again")) << own;
  const std::string all = told(with("(layer, logits.shape)", "draw(logits.shape[-1])", "Bias._cache"));
  EXPECT_FALSE(says(all, "gives it again")) << all;
  const std::string put = told(with("layer", "logits", "Bias._cache"));
  EXPECT_FALSE(says(put, "gives it again")) << put;
}

TEST(ObjectQuestions, ACollectiveThatStandsUnderAConditionNow) {
  const auto code = [](const std::string& body) {
    return "import torch.distributed as dist\n\n\ndef reduce(config, x, cached):\n" + body + "    return x\n";
  };
  const auto told = [&](const std::string& before, const std::string& after) {
    return explain_of({{"a.py", code(before)}}, {{"a.py", code(after)}});
  };
  const std::string text = told("    dist.all_reduce(x)\n", "    if cached != x:\n        dist.all_reduce(x)\n");
  EXPECT_TRUE(says(text,
                   "`all_reduce` over all ranks in `reduce` (`a.py:6`) runs only where `cached` differs from `x` now; "
                   "before, it did without that condition. Do all ranks of its group decide alike? If some skip it, "
                   "the others wait."))
      << text;
  // Settings are the same on all ranks.
  const std::string set = told("    dist.all_reduce(x)\n", "    if config.sync:\n        dist.all_reduce(x)\n");
  EXPECT_TRUE(says(set, "runs only where `config.sync` is set now")) << set;
  EXPECT_FALSE(says(set, "decide alike")) << set;
  // The other arm has one, too; the condition stood there; the job is not distributed.
  const std::string both =
      told("    dist.all_reduce(x)\n",
           "    if cached is None:\n        dist.all_reduce(x)\n    else:\n        dist.broadcast(x, 0)\n");
  EXPECT_FALSE(says(both, "runs only where")) << both;
  const std::string stood = told("    if cached is None:\n        dist.all_reduce(x)\n",
                                 "    if cached is None:\n        x = x + 1\n        dist.all_reduce(x)\n");
  EXPECT_FALSE(says(stood, "runs only where")) << stood;
  const std::string start =
      told("    dist.all_reduce(x)\n", "    if dist.is_initialized():\n        dist.all_reduce(x)\n");
  EXPECT_FALSE(says(start, "runs only where")) << start;
}

TEST(ObjectQuestions, TheWrapperOfCheckpointsCommunicates) {
  const auto code = [](const std::string& body) {
    return "from torch.distributed.checkpoint.utils import _DistWrapper\n\n\ndef plan(group, local, cached):\n"
           "    wrapper = _DistWrapper(group, True, 0)\n" +
           body + "    return out\n";
  };
  const std::string text = explain_of(
      {{"a.py", code("    out = wrapper.reduce_scatter('plan', local, local)\n")}},
      {{"a.py", code("    if cached:\n        out = cached\n    else:\n        out = wrapper.reduce_scatter('plan', "
                     "local, local)\n")}});
  EXPECT_TRUE(says(text,
                   "`reduce_scatter` over `wrapper.group` in `plan` (`a.py:9`) runs only where `cached` is not set "
                   "now; before, it did without that condition. Do all ranks of its group decide alike?"))
      << text;
}

TEST(ObjectQuestions, WhatWasCaughtAndIsRaisedStill) {
  const auto load = [](const std::string& error) {
    return "def load(path):\n    if not path:\n        raise " + error + "('path')\n    return path\n";
  };
  const std::string caught =
      "from load import load\n\n\ndef run(path):\n    try:\n        out = load(path)\n    except ValueError:\n"
      "        out = None\n    return out\n";
  const std::string open = "from load import load\n\n\ndef run(path):\n    out = load(path)\n    return out\n";
  const std::string text = explain_of({{"load.py", load("ValueError")}, {"a.py", caught}},
                                      {{"load.py", load("ValueError")}, {"a.py", open}});
  EXPECT_TRUE(says(text,
                   "`run` no longer catches `ValueError` around `load(path)`; `load` raises it still (`load.py:3`, if "
                   "`path` is not set). Is it meant to leave `run` now?"))
      << text;
  const std::string other =
      explain_of({{"load.py", load("KeyError")}, {"a.py", caught}}, {{"load.py", load("KeyError")}, {"a.py", open}});
  EXPECT_FALSE(says(other, "raises it still")) << other;
  const std::string mended = explain_of({{"load.py", load("ValueError")}, {"a.py", caught}},
                                        {{"load.py", "def load(path):\n    return path\n"}, {"a.py", open}});
  EXPECT_FALSE(says(mended, "raises it still")) << mended;
  // What is called there now was not called there.
  const std::string swapped =
      explain_of({{"load.py", load("ValueError")}, {"a.py", replace_all(caught, "load(path)\n", "path.read()\n")}},
                 {{"load.py", load("ValueError")}, {"a.py", open}});
  EXPECT_FALSE(says(swapped, "raises it still")) << swapped;
}

TEST(ObjectQuestions, AnErrorThatDoesNotStopAnyMore) {
  const auto code = [](const std::string& body) {
    return "def read(paths):\n    out = []\n    for path in paths:\n        if path is None:\n" + body +
           "        out.append(path)\n    return out\n";
  };
  const std::string raises = "            raise ValueError('no path')\n";
  const std::string text = explain_of({{"a.py", code(raises)}}, {{"a.py", code("            break\n")}});
  EXPECT_TRUE(says(text, "`read` no longer raises `ValueError` at `a.py:4`, when `path` is `None`: it ")) << text;
  EXPECT_TRUE(says(text, "What ended in the error before goes on now")) << text;
  const std::string other =
      explain_of({{"a.py", code(raises)}}, {{"a.py", code("            raise KeyError('no path')\n")}});
  EXPECT_FALSE(says(other, "goes on now")) << other;
}

TEST(NamedCommits, AreToldWhereTheReasonsStand) {
  repo::NamedCommit reverted;
  reverted.info = {"1a2b3c4d5e6f", "Add x (#12)", {}, {}, "2026-01-28T10:00:00Z", {}};
  reverted.relation = repo::NamedCommit::Relation::kOpposite;
  repo::NamedCommit older = reverted;
  older.relation = repo::NamedCommit::Relation::kSame;
  older.differing = {"a.py"};
  older.is_through_last = true;
  const std::vector<std::string> told = report::named_commit_sentences({reverted, older});
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(report::unmarked(told[0]),
            "The change takes back 1a2b3c4d5e \u201cAdd x (#12)\u201d (2026-01-28), line for line.");
  EXPECT_EQ(report::unmarked(told[1]),
            "That one names 1a2b3c4d5e \u201cAdd x (#12)\u201d (2026-01-28), which the change brings again; lines "
            "differ in a.py.");
  report::Document document;
  document.heading(3, "Why").paragraph("No reason.");
  report::tell_named_commits({reverted}, document);
  EXPECT_EQ(document.blocks.size(), 3U);
}

}  // namespace
}  // namespace lockstep::render
