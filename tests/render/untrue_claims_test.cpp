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

/// A hook that is only registered where what it insists on holds refuses nobody.
TEST(UntrueClaims, AHookThatIsOnlyRegisteredWhereItFitsRefusesNothing) {
  const auto with = [](const std::string& check, const std::string& condition) {
    return "class Model:\n    def register(self, module):\n        def after(module, output):\n" + check +
           "            return output\n\n        " + condition + "\n            module.register_forward_hook(after)\n";
  };
  const std::string check = "            assert self.config.strategy == \"full\"\n";
  const std::string fits = "if self.config.strategy == \"full\":";
  const std::string text = dive_of({{"a.py", with("", fits)}}, {{"a.py", with(check, fits)}});
  EXPECT_FALSE(says(text, "Refused at")) << text;
  const std::string other = "if module.training:";
  const std::string open = dive_of({{"a.py", with("", other)}}, {{"a.py", with(check, other)}});
  EXPECT_TRUE(says(open, "Refused at `a.py:4`")) << open;
}

/// Of two settings one is set where the other asks for it: what is refused then is not met.
TEST(UntrueClaims, WhatAConstructorForcesIsNotRefused) {
  const auto with = [](const std::string& forced, const std::string& check) {
    return "class Model:\n    def __init__(self, config):\n        self.config = config\n        self.strategy = "
           "config.strategy\n" +
           forced + "\n    def sync(self):\n        if self.config.overlap:\n            self.wait()\n        else:\n" +
           check +
           "            self.start()\n\n    def wait(self):\n        return 1\n\n    def start(self):\n"
           "        return 2\n";
  };
  const std::string check = "            assert self.strategy != \"grads\"\n";
  const std::string forced = "        if self.strategy == \"grads\":\n            self.config.overlap = True\n";
  const std::string text = dive_of({{"a.py", with(forced, "")}}, {{"a.py", with(forced, check)}});
  EXPECT_FALSE(says(text, "Refused at")) << text;
  const std::string open = dive_of({{"a.py", with("", "")}}, {{"a.py", with("", check)}});
  EXPECT_TRUE(says(open, "Refused at")) << open;
}

const std::string kPipeline = R"(import torch.distributed as dist


class Pipeline:
    def reduce(self, grads):
        dist.all_reduce(grads)
        return grads


class Model:
    def __init__(self):
        self.pipeline = Pipeline()

    def train_step(self, grads, is_last):
        count = 1
        if is_last:
            self.pipeline.reduce(grads)
        return count
)";

/// What a changed condition decides over belongs to the change: the class that it calls, and what that communicates.
TEST(UntrueClaims, WhatAChangedConditionDecidesOverIsDealtWith) {
  const std::string text =
      dive_of({{"a.py", kPipeline}}, {{"a.py", replace_all(kPipeline, "if is_last:", "if is_last or self.overlap:")}});
  EXPECT_TRUE(says(text, "calls reduce")) << text;
  EXPECT_FALSE(says(text, "no other class was found")) << text;
  EXPECT_FALSE(says(text, "No new collective")) << text;
  const std::string other =
      dive_of({{"a.py", kPipeline}}, {{"a.py", replace_all(kPipeline, "count = 1", "count = 2")}});
  EXPECT_TRUE(says(other,
                   "N/A - no class comes or goes, and no other class was found that the changed lines call or "
                   "build."))
      << other;
}

/// A function that an attribute keeps is called only where it was put there.
TEST(UntrueClaims, ATestThatNeverKeepsAHookDoesNotLeadToIt) {
  const std::string attach =
      "def attach(module):\n    def reduce(grad):\n        grad = grad + 1\n        return grad\n\n"
      "    module.hook = reduce\n";
  const std::string node =
      "class Node:\n    def __init__(self, module):\n        self.module = module\n\n    def backward(self):\n"
      "        return self.module.hook(1)\n";
  const std::string plain =
      "from lib.node import Node\n\n\ndef test_plain():\n    assert Node(object()).backward() is None\n";
  const std::string kept =
      "from lib.attach import attach\nfrom lib.node import Node\n\n\nclass Module:\n    pass\n\n\n"
      "def test_kept():\n    module = Module()\n    attach(module)\n    assert Node(module).backward() == 2\n";
  const Files before = {
      {"lib/attach.py", attach}, {"lib/node.py", node}, {"tests/test_plain.py", plain}, {"tests/test_kept.py", kept}};
  const std::string text = dive_of(before, with_edit(before, "lib/attach.py", "grad + 1", "grad + 2"));
  EXPECT_FALSE(says(text, "`test_plain`")) << text;
  EXPECT_TRUE(says(text, "`test_kept`")) << text;
}

/// An object that is only made under a setting is called by nobody who leaves the setting off.
TEST(UntrueClaims, ATestWithoutTheSettingThatMakesAnObjectDoesNotCallIt) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    use_graph: bool = False\n";
  const std::string layer =
      "from lib.config import Config\n\n\nclass Manager:\n    def replay(self, x):\n        x = x + 1\n        return "
      "x\n\n\n"
      "class Layer:\n    def __init__(self, config):\n        if config.use_graph:\n            self.manager = "
      "Manager()\n\n"
      "    def run(self, x):\n        if hasattr(self, \"manager\"):\n            return self.manager.replay(x)\n"
      "        return x\n";
  const auto test = [](const std::string& name, const std::string& given) {
    return "from lib.config import Config\nfrom lib.layer import Layer\n\n\ndef test_" + name +
           "():\n    layer = Layer(Config(" + given + "))\n    assert layer.run(1)\n";
  };
  const Files before = {{"lib/config.py", config},
                        {"lib/layer.py", layer},
                        {"tests/test_plain.py", test("plain", "")},
                        {"tests/test_replay.py", test("replay", "use_graph=True")}};
  const std::string text = explain_of(before, with_edit(before, "lib/layer.py", "x = x + 1", "x = x + 2"));
  EXPECT_FALSE(says(text, "`test_plain`")) << text;
  EXPECT_TRUE(says(text, "`test_replay`")) << text;
}

/// What a function gets from an attribute and calls is not followed; who puts it there is told.
TEST(UntrueClaims, AFunctionThatAnAttributeKeepsIsNotFollowed) {
  const std::string publish =
      "NAME = \"_ready\"\n\n\ndef publish(params):\n    for param in params:\n"
      "        callback = getattr(param, NAME, None)\n        if callback is not None:\n            callback()\n";
  const std::string keep = "from publish import NAME\n\n\ndef keep(param, call):\n    setattr(param, NAME, call)\n";
  const std::string step =
      "import torch\n\nfrom publish import publish\n\n\ndef train_step(params):\n    total = 1\n    return total\n";
  const Files before = {{"publish.py", publish}, {"keep.py", keep}, {"step.py", step}};
  const std::string text =
      explain_of(before, with_edit(before, "step.py", "    return total\n", "    publish(params)\n    return total\n"));
  EXPECT_TRUE(says(text,
                   "`callback()` in `publish` (`publish.py:8`) calls what it gets from an attribute, which was not "
                   "followed; `setattr(param, NAME, call)` (`keep.py:5`) sets it"))
      << text;
}

/// What counts where a public parameter is not given is no declared default.
TEST(UntrueClaims, WhatStandsInForAnAbsentParameterChanges) {
  const std::string body =
      "class Adapter:\n    def __init__(self, config, units=None):\n        if units is not None:\n"
      "            self.units = units\n        else:\n            if config.strategy == \"full\":\n"
      "                self.units = [1]\n            else:\n                self.units = []\n        self.size = 1\n";
  const std::string text = explain_of({{"a.py", body}}, {{"a.py", replace_all(body, "== \"full\"", "!= \"none\"")}});
  EXPECT_TRUE(says(text, "what stands for `units` where it is not given")) << text;
  const std::string other = explain_of({{"a.py", body}}, {{"a.py", replace_all(body, "size = 1", "size = 2")}});
  EXPECT_FALSE(says(other, "what stands for")) << other;
}

/// A reason that stood above the code before is quoted as such, where the change gives none.
TEST(UntrueClaims, AReasonThatStoodThereBeforeIsQuoted) {
  const std::string body =
      "def gather(weights):\n    total = 1\n    # The prefetch runs ahead of the module, so that its hook may not "
      "have run yet.\n    if total:\n        ready(weights)\n    return total\n\n\ndef ready(weights):\n    return "
      "weights\n"
      "\n\ndef record(weights):\n    return weights\n";
  const std::string text = explain_of(
      {{"a.py", body}},
      {{"a.py", replace_all(body, "        ready(weights)\n", "        record(weights)\n        ready(weights)\n")}});
  EXPECT_TRUE(says(text, "Written before the change, the comment above `a.py:4`, says: \u201cThe prefetch runs ahead"))
      << text;
  const std::string plain =
      replace_all(body, "The prefetch runs ahead of the module, so that its hook may not have run",
                  "The prefetch of the module and the hook");
  const std::string described = explain_of(
      {{"a.py", plain}},
      {{"a.py", replace_all(plain, "        ready(weights)\n", "        record(weights)\n        ready(weights)\n")}});
  EXPECT_FALSE(says(described, "Written before the change")) << described;
}

/// What passes with a stand-in may fail with what it stands for.
TEST(UntrueClaims, StandInsOfTheTestsFoundAreTold) {
  const std::string lib = "def load(optimizer):\n    optimizer.load(1)\n    return optimizer\n";
  const auto told = [&](const std::string& cls, bool is_new) {
    const std::string test = "from lib import load\n\n\nclass " + cls +
                             ":\n    def load(self, x):\n        return x\n\n\ndef test_load():\n    assert load(" +
                             cls + "()) is not None\n";
    return explain_of({{"lib.py", lib}, {"tests/test_lib.py", is_new ? "import lib\n" : test}},
                      {{"lib.py", replace_all(lib, "load(1)", "load(2)")}, {"tests/test_lib.py", test}});
  };
  const std::string text = told("MockOptimizer", true);
  EXPECT_TRUE(says(text, "puts stand-ins in place of other code: `MockOptimizer`.")) << text;
  for (const char* own : {"Mocking", "DummyOptimizer", "MagicMock", "Mock"})
    EXPECT_FALSE(says(told(own, true), "stand-ins in place")) << own;
  // What tests did before the change is no news of it.
  EXPECT_FALSE(says(told("MockOptimizer", false), "stand-ins in place"));
}

/// Who took a setting out of what was refused lets it through: new checks of it need not refuse what passed before.
TEST(UntrueClaims, NewChecksBesideOnesThatGoAreNotSaidToRefuseWhatPassed) {
  const auto validate = [](const std::string& fields, const std::string& checks) {
    return Files{
        {"config.py",
         "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    expert_size: int = 1\n"
         "    context_size: int = 1\n"},
        {"check.py", "def validate_config(config, groups):\n    for name in (" + fields +
                         "):\n        if getattr(config, name) != 1:\n            raise ValueError(name)\n" + checks}};
  };
  const std::string checks =
      "    if config.expert_size > 1:\n        if groups.ep is None:\n            raise ValueError('no group')\n"
      "        if groups.dp is None:\n            raise ValueError('no other group')\n";
  const std::string opened =
      explain_of(validate("'expert_size', 'context_size'", ""), validate("'context_size',", checks));
  EXPECT_FALSE(says(opened, "What passed there before is refused now")) << opened;
  EXPECT_TRUE(
      says(opened,
           "- `validate_config` newly checks what it is given where `config.expert_size` is more than `1`: "
           "refused when `groups.ep` is `None` or when `groups.dp` is `None`. Code that asked for `expert_size` "
           "there changes, too"))
      << opened;
  const std::string narrowed = explain_of(validate("'context_size',", ""), validate("'context_size',", checks));
  EXPECT_TRUE(says(narrowed, "What passed there before is refused now")) << narrowed;
}

/// A view of what is made in the same expression shares memory with nothing that anybody has.
TEST(UntrueClaims, AViewOfWhatIsMadeThereIsNoOtherViewOfATensor) {
  const auto told = [](const std::string& value) {
    const std::string head = "import torch\n\n\ndef mask(out, n, x: torch.Tensor):\n";
    return explain_of({{"a.py", head + "    return n\n"}},
                      {{"a.py", head + "    out.y = " + value + "\n    return n\n"}});
  };
  EXPECT_FALSE(says(told("x.fresh(n).view(1, n)"), "reads the same memory"));
  EXPECT_TRUE(says(told("x.view(1, n)"), "reads the same memory")) << told("x.view(1, n)");
  EXPECT_TRUE(says(told("x.detach()"), "autograd graph")) << told("x.detach()");
  EXPECT_FALSE(says(told("x.detach(n)"), "autograd graph"));
}

/// What runs get is what their command line gives where nobody says anything, not what the class declares.
TEST(UntrueClaims, AWayIsNotOffWhereTheCommandLineHasAnotherDefault) {
  const auto told = [](const std::string& given) {
    const Files before = {
        {"config.py",
         "from dataclasses import dataclass\n\n\n@dataclass\nclass ModelConfig:\n    strategy: str = 'none'\n"},
        {"a.py",
         "from config import ModelConfig\n\n\nclass Runner:\n    def __init__(self, config: ModelConfig):\n"
         "        self.strategy = config.strategy\n\n    def go(self, x):\n        if self.strategy != 'none':\n"
         "            work(x)\n\n\ndef work(x):\n    return x\n"},
        {"train.py",
         "import argparse\n\nfrom a import Runner\nfrom config import ModelConfig\n\n\ndef main():\n"
         "    parser = argparse.ArgumentParser()\n    parser.add_argument('--strategy', type=str, default='" +
             given +
             "')\n    args = parser.parse_args()\n    Runner(ModelConfig(strategy=args.strategy)).go(1)\n\n\n"
             "if __name__ == '__main__':\n    main()\n"}};
    return explain_of(before, with_edit(before, "a.py", "    return x\n", "    return x + 1\n"));
  };
  EXPECT_TRUE(says(told("none"), "does not hold by default")) << told("none");
  EXPECT_FALSE(says(told("full"), "does not hold by default")) << told("full");
}

/// What documentation says of one of several alternatives is not quoted as said of the setting.
TEST(UntrueClaims, ALimitOfOneAlternativeIsNotOneOfTheSetting) {
  const auto told = [](const std::string& documentation) {
    const Files before = {
        {"config.py",
         "from dataclasses import dataclass\n\n\n@dataclass\nclass ModelConfig:\n    graphs: str = 'none'\n"
         "    \"\"\"" +
             documentation + "\"\"\"\n"},
        {"a.py", "def run(config, x):\n    if config.graphs == 'local':\n        x = x + 1\n    return x\n"}};
    return explain_of(before, with_edit(before, "a.py", "x + 1", "x + 2"));
  };
  const std::string list =
      told("Chooses the graphs.\n    \"none\": no graph.\n    \"whole\": one graph. Inference is not supported.");
  EXPECT_TRUE(says(list, "\u201cChooses the graphs.")) << list;
  EXPECT_FALSE(says(list, "not supported")) << list;
  const std::string text = told("Chooses the graphs. Inference is not supported.");
  EXPECT_TRUE(says(text, "Inference is not supported.")) << text;
}

/// A refusal that only runs with an object of a new class can meet refuses nothing that passed before.
TEST(UntrueClaims, WhatANewObjectRefusesRefusedNothingBefore) {
  const auto told = [](const std::string& condition) {
    const Files before = {{"a.py",
                           "class Pipeline:\n    def __init__(self, size):\n        self.size = size\n\n"
                           "    def put(self, group):\n        return group\n"}};
    const Files after = {
        {"a.py",
         "from bank import Bank\n\n\nclass Pipeline:\n    def __init__(self, size, bank: Bank = None):\n"
         "        self.size = size\n        self.bank = bank\n\n    def put(self, group):\n" +
             condition + "        return group\n"},
        {"bank.py",
         "class Bank:\n    def append(self, group):\n        if not group.rows:\n"
         "            raise ValueError('no rows')\n        self.rows = group.rows\n"}};
    return explain_of(before, after);
  };
  EXPECT_FALSE(
      says(told("        if self.bank is not None:\n            self.bank.append(group)\n"), "passed there before"));
}

/// A sentence that stood in the documentation of a setting before is no word of the change.
TEST(UntrueClaims, OfEditedDocumentationOnlyNewSentencesAreTheChanges) {
  const auto config = [](const std::string& rest) {
    return "from dataclasses import dataclass\n\n\n@dataclass\nclass ModelConfig:\n    zero_copy: bool = False\n"
           "    \"\"\"Uses the fast path instead of the staged copy, so that it saves one copy on the wire.\n    " +
           rest + "\"\"\"\n\n\ndef run(config):\n    return config.zero_copy\n";
  };
  const std::string text = explain_of({{"config.py", config("Requires the static shape.")}},
                                      {{"config.py", config("Requires the capacity factor.")}});
  EXPECT_FALSE(says(text, "\u201cUses the fast path instead of")) << text;
}

/// A static method takes what its first parameter says: drawn without arguments it would read as the old call.
TEST(UntrueClaims, ACallOfAStaticMethodIsDrawnWithItsArguments) {
  const auto module = [](const std::string& parameter, const std::string& given) {
    return "class Interface:\n    @staticmethod\n    def reset(" + parameter +
           "):\n        return 1\n\n\ndef step(group):\n    total = Interface.reset(" + given +
           ")\n    return total\n\n\ndef main():\n    step(1)\n\n\nif __name__ == '__main__':\n    main()\n";
  };
  const std::string text = explain_of({{"a.py", module("", "")}}, {{"a.py", module("group=None", "group=group")}});
  EXPECT_FALSE(says(text, ": reset()")) << text;
}

/// What ranks meet in below a changed function is told of its changed calls, where these come to some.
TEST(UntrueClaims, CommunicationBelowIsThatOfChangedCalls) {
  const std::string was =
      "import torch.distributed as dist\n\n\ndef sum_all(x):\n    dist.all_reduce(x)\n    return x\n\n\n"
      "def gather_all(x):\n    out = [None] * 8\n    dist.all_gather_object(out, x)\n    return out\n\n\n"
      "def step(x):\n    gather_all(x)\n    x = x + 1\n    return x\n";
  const auto told = [&](const std::string& line) {
    return explain_of({{"a.py", was}}, {{"a.py", replace_all(was, "    x = x + 1\n", line)}});
  };
  const std::string text = told("    x = x + 1\n    sum_all(x)\n");
  EXPECT_TRUE(says(text, "**Communicates through what it calls:** `sum_all` (`a.py:4`): `all_reduce`")) << text;
  EXPECT_FALSE(says(text, "through what it calls:** `gather_all`")) << text;
  EXPECT_FALSE(says(text, "; `gather_all` (`a.py:9`): ")) << text;
}

/// A class that changes and that a test replaces where it is imported comes before other stand-ins.
TEST(UntrueClaims, AChangedClassThatATestReplacesIsNamed) {
  const auto files = [](const std::string& value, const std::string& get, const std::string& test) {
    return Files{
        {"a.py",
         "class Pipeline:\n    def __init__(self, size):\n        self.size = size\n\n"
         "    def run(self):\n        return self.size + " +
             value + "\n"},
        {"b.py", "from a import Pipeline\n\n\ndef load():\n    return 1\n\n\ndef get():\n    return " + get + "\n"},
        {"tests/test_b.py",
         "import b\n\n\ndef test_get(monkeypatch):\n    class FakePipeline:\n"
         "        def __init__(self, size):\n            self.size = size\n\n"
         "        def run(self):\n            return 3\n\n" +
             test + "    assert b.get() == 3\n"}};
  };
  const std::string test =
      "    monkeypatch.setattr(b, \"load\", lambda: 2)\n"
      "    monkeypatch.setattr(b, \"Pipeline\", FakePipeline)\n";
  const std::string text = explain_of(files("1", "load()", ""), files("2", "Pipeline(load()).run()", test));
  EXPECT_TRUE(says(text, "puts stand-ins in place of other code: `Pipeline` and `load`.")) << text;
}

}  // namespace
}  // namespace lockstep::render
