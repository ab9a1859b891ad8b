// Sentences that other code refutes: signatures of what a function defines for itself, state that keeps its key,
// examples that are no reasons, calls that only lead back.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// Nobody outside calls what a function defines for itself and only calls.
TEST(UntrueClaims, TheSignatureOfAnInnerFunctionBreaksNobody) {
  const auto with = [](const std::string& taken, const std::string& given, const std::string& end) {
    return "def attach(mask):\n    def scale_of(" + taken + "):\n        if mask is None:\n            return 1\n" +
           "        return mask * 2\n\n    total = scale_of(" + given + ")\n    return " + end + "\n";
  };
  const std::string text =
      explain_of({{"a.py", with("module, output", "1, 2", "total")}}, {{"a.py", with("", "", "total")}});
  EXPECT_FALSE(says(text, "code outside the repository that calls it the old way")) << text;
  const std::string handed =
      explain_of({{"a.py", with("module, output", "1, 2", "scale_of")}}, {{"a.py", with("", "", "scale_of")}});
  EXPECT_TRUE(says(handed, "code outside the repository that calls it the old way")) << handed;
}

const std::string kMixer = R"(import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.conv = nn.Conv1d(size, size)

    def sharded_state_dict(self, prefix=""):
        state = super().sharded_state_dict(prefix)
        return state
)";

TEST(UntrueClaims, StateThatIsGivenItsOldKeyIsNotMissing) {
  const std::string now =
      replace_all(kMixer, "self.conv = nn.Conv1d(size, size)", "self.conv_weight = nn.Parameter(torch.empty(size))");
  const auto mapped = [&](const std::string& names) {
    return replace_all(now, "        return state\n",
                       "        for name, old in " + names + ".items():\n            state[name].key = prefix + old\n" +
                           "        return state\n");
  };
  const std::string missing = "Its key is missing from checkpoints written before";
  const std::string text = explain_of({{"a.py", kMixer}}, {{"a.py", mapped("{\"conv_weight\": \"conv.weight\"}")}});
  EXPECT_FALSE(says(text, missing)) << text;
  const std::string other = explain_of({{"a.py", kMixer}}, {{"a.py", mapped("{\"norm\": \"norm.weight\"}")}});
  EXPECT_TRUE(says(other, missing)) << other;
  // Along which dimension it is sharded says nothing of its key.
  const std::string sharded = explain_of({{"a.py", kMixer}}, {{"a.py", mapped("{\"conv_weight\": 0}")}});
  EXPECT_TRUE(says(sharded, missing)) << sharded;
  const std::string two = explain_of(
      {{"a.py", kMixer}},
      {{"a.py", replace_all(now, "torch.empty(size))",
                            "torch.empty(size))\n        self.conv_bias = nn.Parameter(torch.empty(size))")}});
  EXPECT_TRUE(says(two, "Their keys are missing from checkpoints written before")) << two;
}

TEST(UntrueClaims, AnExampleIsNoReason) {
  const auto with = [](const std::string& help) {
    const std::string config =
        "from dataclasses import dataclass\n\n\n@dataclass\nclass FaultConfig:\n    seed: int = 1\n";
    return explain_of({{"a.py", config}},
                      {{"a.py", config + "\n    types: str = \"\"\n    \"\"\"" + help + "\"\"\"\n"}}, "Add types");
  };
  const std::string none = "no reason was found";
  EXPECT_TRUE(says(with("List of the types to inject (e.g. 'hang,crash')."), none))
      << with("List of the types to inject (e.g. 'hang,crash').");
  EXPECT_FALSE(says(with("Types which let the job hang are not injected, so that it ends (e.g. 'crash')."), none));
}

TEST(UntrueClaims, MethodsOfATextAreNoSettings) {
  const std::string was = "def kinds(config):\n    return []\n";
  const std::string now =
      "def kinds(config):\n    types_config = config.types\n    names = types_config.split(\",\")\n"
      "    return [types_config.upper(), names]\n";
  const std::string text = dive_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(text, "`types`")) << text;
  EXPECT_FALSE(says(text, "`split`")) << text;
  EXPECT_FALSE(says(text, "`upper`")) << text;
}

/// What the callee issues only by calling the caller again is not what the call brings.
TEST(UntrueClaims, ACallThatOnlyLeadsBackIssuesNothingOfItsOwn) {
  const auto group = [](const std::string& drains, const std::string& ends) {
    return "import torch.distributed as dist\n\n\nclass Group:\n    def start(self, grad):\n" + drains +
           "        self.handle = dist.all_reduce(grad, async_op=True)\n\n    def finish(self, grad):\n" + ends +
           "        if not self.overlap:\n            self.start(grad)\n        self.handle.wait()\n";
  };
  const std::string drains = "        if self.previous is not None:\n            self.finish(grad)\n";
  const std::string text = explain_of({{"a.py", group("", "")}}, {{"a.py", group(drains, "")}});
  EXPECT_FALSE(says(text, "which can issue")) << text;
  const std::string own = explain_of({{"a.py", group("", "        dist.barrier()\n")}},
                                     {{"a.py", group(drains, "        dist.barrier()\n")}});
  EXPECT_TRUE(says(own, "which can issue `barrier`")) << own;
}

/// That a statement has another form since its class lost what it read says nothing of classes that have it.
TEST(UntrueClaims, AStatementThatFollowsALostAttributeHasNoTwins) {
  const auto layers = [](const std::string& set, const std::string& read) {
    const auto one = [](const std::string& name, const std::string& makes, const std::string& reads) {
      return "class " + name + ":\n    def __init__(self, size):\n        self." + makes +
             "\n        mark_parallel(self." + reads + ", \"partition_dim\", size)\n";
    };
    return one("Mixer", set, read) + "\n\n" + one("Delta", "conv = make_conv(size)", "conv.weight");
  };
  const Files before = {{"a.py", layers("conv = make_conv(size)", "conv.weight")}};
  const std::string lost = explain_of(before, {{"a.py", layers("weight = make_weight(size)", "weight")}});
  EXPECT_FALSE(says(lost, "as it was it still stands")) << lost;
  const std::string kept = explain_of(before, {{"a.py", layers("conv = make_conv(size)", "conv.weight.data")}});
  EXPECT_TRUE(says(kept, "as it was it still stands")) << kept;
}

/// Where there was a fault, the test that says plainly what it was comes before docstrings that give reasons.
TEST(UntrueClaims, WhatARegressionTestSaysOfTheFaultLeads) {
  const std::string was = "def plan(module):\n    return list(module.parameters())\n";
  const std::string now =
      "def named_tensors(module):\n    \"\"\"Yields what is sent.\n\n    Buffers are included because they may "
      "carry state of the run.\n    \"\"\"\n"
      "    yield from module.parameters()\n    yield from module.buffers()\n\n\n"
      "def plan(module):\n    return list(named_tensors(module))\n";
  const std::string fault = "The bias of routers stayed at zero there because only parameters were sent to it.";
  const Files after = {{"a.py", now},
                       {"tests/test_a.py", "from a import plan\n\n\ndef test_plan():\n    \"\"\"" + fault +
                                               "\"\"\"\n    assert plan(make())\n"}};
  const std::string text = explain_of({{"a.py", was}}, after, "Fix what is sent");
  EXPECT_TRUE(says(text, "“" + fault)) << text;
  EXPECT_LT(text.find(fault), text.find("“Buffers are included")) << text;
  const std::string added = explain_of({{"a.py", was}}, after, "Add what is sent");
  EXPECT_GT(added.find(fault), added.find("“Buffers are included")) << added;
}

/// `a or b` holds where neither is set as the defaults of both say.
TEST(UntrueClaims, AConditionOnTwoSettingsIsDecidedByBothDefaults) {
  const auto text_of = [](const std::string& ranks, const std::string& count) {
    const std::string config =
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    ranks: str = " + ranks +
        "\n    count: int = " + count + "\n";
    const Files before = {{"config.py", config},
                          {"a.py",
                           "from config import Config\n\n\ndef run(config: Config, x):\n"
                           "    if config.ranks is not None or config.count is not None:\n        x = x + 1\n"
                           "    return x\n"}};
    return explain_of(before, with_edit(before, "a.py", "x + 1", "x + 2"));
  };
  const std::string text = text_of("None", "None");
  EXPECT_TRUE(says(text, "`config.count` is not `None` (does not hold by default).")) << text;
  EXPECT_FALSE(says(text_of("None", "make()"), "does not hold by default")) << text_of("None", "make()");
  EXPECT_FALSE(says(text_of("None", "1"), "does not hold by default")) << text_of("None", "1");
}

/// Where another setting closes the condition by itself, this one's default says nothing of it.
TEST(UntrueClaims, ASettingBesideOneThatClosesTheConditionIsNotSaidToDoSo) {
  const Files before = {{"config.py",
                         "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    path: str = None\n"
                         "    convert: bool = False\n"},
                        {"a.py",
                         "from config import Config\n\n\ndef run(config: Config, x):\n"
                         "    if config.path is not None and not config.convert:\n        x = x + 1\n    return x\n"}};
  const std::string text = explain_of(before, with_edit(before, "a.py", "x + 1", "x + 2"));
  EXPECT_TRUE(says(text, "(does not hold by default)")) << text;
  EXPECT_FALSE(says(text, "which as a whole does not hold by default")) << text;
}

/// A method that is handed on runs elsewhere, whoever calls it by its name.
TEST(UntrueClaims, AMethodThatIsHandedOnIsNotCalledByTestsAlone) {
  const auto code_of = [](const std::string& handed) {
    return "class Storage:\n    def isdir(self, path):\n        return probe(path)\n\n"
           "    def remove(self, path):\n        drop(path)\n\n\n"
           "class Manager:\n    def __init__(self):\n        self.storage = Storage()\n        start(" +
           handed + ")\n\n    def load(self, path):\n        return self.storage.isdir(path)\n";
  };
  const Files before = {{"a.py",
                         "class Manager:\n    def __init__(self):\n        start(drop)\n\n"
                         "    def load(self, path):\n        return probe(path)\n"}};
  const auto text_of = [&](const std::string& handed) {
    return explain_of(
        before,
        {{"a.py", code_of(handed)},
         {"tests/test_a.py", "from a import Storage\n\n\ndef test_remove():\n    Storage().remove(\"x\")\n"}},
        "Add a storage");
  };
  const std::string text = text_of("self.storage.remove");
  EXPECT_TRUE(says(text, "| handed on by `Manager.__init__` |")) << text;
  const std::string tested = text_of("drop");
  EXPECT_TRUE(says(tested, "| tests alone |")) << tested;
}

}  // namespace
}  // namespace lockstep::render
