// Small edits that decide what runs: another callee with the same arguments, a method in place of an inherited one, a
// case of a `match`, one more condition on a refusal. And what looks like an edit and decides nothing: types,
// protocols, lines that only stand beside each other.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

constexpr std::string_view kLayer = R"(from dataclasses import dataclass


class TopRouter:
    def __init__(self, config=None, groups=None):
        self.config = config


@dataclass
class Parts:
    experts: type = None
    router: type = TopRouter


class Layer:
    def __init__(self, config, parts: Parts, groups):
        self.config = config
        self.router = TopRouter(config=self.config, groups=groups)
)";

TEST(DecisiveEdits, AFieldThatMakesTheObjectInsteadOfItsClassIsToldWithItsDefault) {
  const std::string before(kLayer);
  const std::string text =
      explain_of({{"a.py", before}}, {{"a.py", replace_all(before, "= TopRouter(config", "= parts.router(config")}});
  EXPECT_TRUE(says(text,
                   "sets `self.router` to `parts.router(config=self.config, groups=groups)` instead of "
                   "`TopRouter(config=self.config, groups=groups)`, the default of `Parts.router`."))
      << text;
  EXPECT_FALSE(says(text, "with other arguments")) << text;
  const std::string other = replace_all(before, "router: type = TopRouter", "router: type = None");
  const std::string unset =
      explain_of({{"a.py", other}}, {{"a.py", replace_all(other, "= TopRouter(config", "= parts.router(config")}});
  EXPECT_FALSE(says(unset, "the default of")) << unset;
}

TEST(DecisiveEdits, AProtocolIsATypeAndLeadsNothing) {
  const std::string before(kLayer);
  const std::string protocol =
      "from typing import Protocol\n\n\nclass RouterInterface(Protocol):\n    \"\"\"What a layer asks of its "
      "router.\"\"\"\n\n"
      "    def route(self, x):\n        \"\"\"Route the tokens.\"\"\"\n        ...\n\n\n";
  const std::string after = protocol + replace_all(before, "= TopRouter(config", "= parts.router(config");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "- `Layer.__init__` (changed,")) << text;
  EXPECT_FALSE(says(text, "- `RouterInterface` (new,") || says(text, "Which test runs `RouterInterface")) << text;
  // A class with a method that does something is more than a type.
  const std::string working = replace_all(after, "        ...\n", "        return x + 1\n");
  EXPECT_TRUE(says(explain_of({{"a.py", before}}, {{"a.py", working}}), "- `RouterInterface.route` (new,"));
}

TEST(DecisiveEdits, AMethodInPlaceOfAnInheritedOneIsNoNewName) {
  const std::string before =
      "class Optimizer:\n    def parameters(self):\n        return [self.optimizer]\n\n\n"
      "class Chained(Optimizer):\n    def step(self):\n        return 1\n";
  const std::string added = "\n    def parameters(self):\n        return [one for one in self.chained]\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", before + added}});
  EXPECT_TRUE(says(text,
                   "`Chained.parameters` (new, `a.py:10`), in place of the inherited `Optimizer.parameters` "
                   "(`a.py:2`)"))
      << text;
  EXPECT_FALSE(says(text, "Adds the public")) << text;
  const std::string fresh =
      explain_of({{"a.py", before}}, {{"a.py", before + replace_all(added, "parameters", "names")}});
  EXPECT_FALSE(says(fresh, "inherited")) << fresh;
  EXPECT_TRUE(says(fresh, "Adds the public `Chained.names`")) << fresh;
}

TEST(DecisiveEdits, WhatStandsInACaseHoldsOnlyForIt) {
  const auto shard = [](const std::string& check) {
    return "def shard(kind, masks):\n    if kind:\n        match kind:\n            case \"head\":\n"
           "                masks = None\n            case \"ring\" | \"tree\":\n                if " +
           check +
           ":\n                    raise ValueError('no masks')\n            case _:\n"
           "                masks = 1\n    return masks\n";
  };
  const std::string text =
      explain_of({{"a.py", shard("masks is None or masks == 0")}}, {{"a.py", shard("masks is None")}});
  EXPECT_TRUE(says(text, "`kind` is `\"ring\"` or `\"tree\"`")) << text;
  EXPECT_FALSE(says(text, "where `kind` is set")) << text;
}

TEST(DecisiveEdits, ARefusalThatAsksForMoreRefusesLess) {
  const auto check = [](const std::string& condition) {
    return "def check(groups, size):\n    if " + condition + ":\n        raise ValueError('no')\n    return groups\n";
  };
  const std::string one = "groups % size != 0";
  const std::string both = "groups % size != 0 and size % groups != 0";
  const std::string fewer = explain_of({{"a.py", check(one)}}, {{"a.py", check(both)}});
  EXPECT_TRUE(says(fewer, "raises `ValueError` on `groups % size != 0` only where `size % groups` is not `0`, too"))
      << fewer;
  const std::string more = explain_of({{"a.py", check(both)}}, {{"a.py", check(one)}});
  EXPECT_TRUE(says(more, "raises `ValueError` on `groups % size != 0` whether or not `size % groups` is not `0`"))
      << more;
  EXPECT_FALSE(says(more + fewer, "for the branch on")) << more << fewer;
}

TEST(DecisiveEdits, AnotherTypeOfAVariableIsNoOtherValue) {
  const auto layer = [](const std::string& type) {
    return "class Layer:\n    def __init__(self):\n        self.router: " + type + " = None\n        self.size = 1\n";
  };
  const std::string text = explain_of({{"a.py", layer("Top")}}, {{"a.py", layer("Any")}});
  EXPECT_FALSE(says(text, "sets `self.router`")) << text;
}

TEST(DecisiveEdits, ALineThatOnlyCameBesideOneThatIsGoneIsNoEditOfIt) {
  const auto setup = [](const std::string& lines) {
    return "class Context:\n    def __init__(self, config):\n        self.on = True\n" + lines +
           "        self.off = 2\n";
  };
  const std::string text = explain_of(
      {{"a.py", setup("        conv_shape = config.mamba_conv_shape\n        ssm_shape = config.mamba_ssm_shape\n"
                      "        self.conv_shape = conv_shape\n        self.ssm_shape = ssm_shape\n")}},
      {{"a.py", setup("        self.conv_shape = config.conv_shape\n        self.ssm_shape = config.ssm_shape\n"
                      "        self.conv_dtype = config.conv_dtype\n        self.ssm_dtype = config.ssm_dtype\n")}});
  EXPECT_TRUE(says(text, "ets `self.conv_dtype` to `config.conv_dtype`")) << text;
  EXPECT_FALSE(says(text, "`config.conv_dtype` in place of")) << text;
}

TEST(DecisiveEdits, AScriptThatOnlyACommentNamesIsStartedByNoTest) {
  const std::string script = "from lib import train\n\nif __name__ == '__main__':\n    train()\n";
  const auto lib = [](const std::string& value) {
    return "def train():\n    print('step')\n    return " + value + "\n";
  };
  const std::string runner = "import subprocess\n\n\ndef start():\n    subprocess.run(['python', 'pretrain.py'])\n";
  const std::string comment = "def start():\n    # (Note: mimics pretrain.py:main().)\n    return 1\n";
  const auto with_test = [&](const std::string& test) {
    return explain_of({{"pretrain.py", script}, {"lib.py", lib("1")}, {"tests/functional/run.py", test}},
                      {{"pretrain.py", script}, {"lib.py", lib("2")}, {"tests/functional/run.py", test}});
  };
  EXPECT_TRUE(says(with_test(runner), "Tests start `pretrain.py`")) << with_test(runner);
  EXPECT_FALSE(says(with_test(comment), "Tests start")) << with_test(comment);
}

constexpr std::string_view kState = R"(_TP = None
_PP = None


def get_tensor_rank():
    return _TP.rank()


def get_pipeline_rank():
    return _PP.rank()


def get_expert_rank():
    return 0
)";

TEST(DecisiveEdits, ValuesThatComeFromAnotherSourceAreOneItem) {
  const auto wrap = [](const std::string& tensor, const std::string& pipeline, const std::string& more) {
    return "import state\n\n\ndef wrap(model, groups):\n    first = " + tensor + "\n    second = max(1, " + pipeline +
           ")\n" + more + "    return model.wrap(first, second)\n";
  };
  const auto told = [&](const std::string& before, const std::string& after) {
    return explain_of({{"state.py", std::string(kState)}, {"a.py", before}},
                      {{"state.py", std::string(kState)}, {"a.py", after}});
  };
  const std::string before = wrap("state.get_tensor_rank()", "state.get_pipeline_rank()", "");
  const std::string text = told(before, wrap("groups.tp.rank()", "groups.pp.rank()", ""));
  EXPECT_TRUE(says(text,
                   "- `wrap` takes 2 values from its parameter `groups` instead of functions of `state.py`: "
                   "`groups.tp.rank()` for `state.get_tensor_rank()` and `groups.pp.rank()` for "
                   "`state.get_pipeline_rank()`."))
      << text;
  EXPECT_FALSE(says(text, "the same process groups")) << text;
  // What the function makes itself right there is nothing that it was handed; what stands in for it is.
  const std::string made = told(before, replace_all(wrap("groups.tp.rank()", "groups.pp.rank()", ""), "    first",
                                                    "    groups = state.default_groups()\n    first"));
  EXPECT_FALSE(says(made, "from its parameter")) << made;
  const std::string stand_in =
      told(before, replace_all(wrap("groups.tp.rank()", "groups.pp.rank()", ""), "    first",
                               "    if groups is None:\n        groups = state.default_groups()\n    first"));
  EXPECT_TRUE(says(stand_in, "- `wrap` takes 2 values from its parameter `groups`")) << stand_in;
  const auto twice = [&](const std::string& one) {
    return one + "\n\n" + replace_all(one, "def wrap", "def wrap_all");
  };
  const std::string both = told(twice(before), twice(wrap("groups.tp.rank()", "groups.pp.rank()", "")));
  EXPECT_TRUE(says(both, "- `wrap` and `wrap_all` each take 2 values from its parameter `groups` instead of")) << both;
  // One value says what the line says.
  EXPECT_FALSE(says(told(before, wrap("groups.tp.rank()", "state.get_pipeline_rank()", "")), "takes 1 value"));
  const std::string left = "    third = state.get_expert_rank()\n";
  const std::string mixed = told(wrap("state.get_tensor_rank()", "state.get_pipeline_rank()", left),
                                 wrap("groups.tp.rank()", "groups.pp.rank()", left));
  EXPECT_TRUE(says(mixed,
                   "`wrap` takes values from `groups` now, and still calls `state.get_expert_rank()` (`a.py:7`). Are "
                   "these the same process groups?"))
      << mixed;
  // What fills in for what was not given is no other source.
  const std::string filled = "    if model is None:\n        third = state.get_expert_rank()\n";
  EXPECT_FALSE(says(told(wrap("state.get_tensor_rank()", "state.get_pipeline_rank()", filled),
                         wrap("groups.tp.rank()", "groups.pp.rank()", filled)),
                    "the same process groups"));
}

TEST(DecisiveEdits, EntriesThatComeToADictionaryTakeNobodysPlace) {
  const auto metrics = [](const std::string& more, const std::string& loss) {
    return "def log(run):\n    metrics = {'loss': " + loss + ", " + more +
           "'length': run.length}\n    return metrics\n";
  };
  const std::string text = explain_of(
      {{"a.py", metrics("", "run.loss")}},
      {{"a.py",
        metrics("'table': run.table, 'mean': run.mean, 'top': run.top, 'gap': run.gap, 'x': 1, ", "run.loss")}});
  EXPECT_TRUE(says(text, "adds 5 entries, `'table'`, `'mean'`, `'top'` and 2 more, to `metrics`")) << text;
  EXPECT_FALSE(says(text, "instead of")) << text;
  const std::string both =
      explain_of({{"a.py", metrics("", "run.loss")}}, {{"a.py", metrics("'gap': run.gap, ", "run.mean_loss")}});
  EXPECT_TRUE(says(both, "adds the entry `'gap': run.gap` to `metrics`; gives `'loss'` another value there")) << both;
  const std::string other = explain_of({{"a.py", metrics("", "run.loss")}}, {{"a.py", metrics("", "run.mean_loss")}});
  EXPECT_FALSE(says(other, "another value there")) << other;
}

TEST(DecisiveEdits, AnotherDefaultOfASubclassIsNoNewSetting) {
  const std::string base =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass AttentionConfig:\n    backend: str = 'sdpa'\n";
  const auto sub = [](const std::string& field) {
    return "\n\n@dataclass\nclass ServingConfig(AttentionConfig):\n    size: int = 1\n" + field;
  };
  const auto told = [&](const std::string& field) {
    return explain_of({{"a.py", base + sub("")}}, {{"a.py", base + sub(field)}});
  };
  EXPECT_FALSE(says(told("    backend: str = 'varlen'\n"), "New setting")) << told("    backend: str = 'varlen'\n");
  EXPECT_TRUE(says(told("    layout: str = 'varlen'\n"), "New setting `layout`"))
      << told("    layout: str = 'varlen'\n");
}

TEST(DecisiveEdits, ACallThatMovesToTheCallerRunsInOtherCasesToo) {
  const auto code = [](const std::string& collect, const std::string& step) {
    return "def report(run):\n    run.write(1)\n    return run\n\n\ndef collect(run):\n    run.fill()\n" + collect +
           "    return run\n\n\ndef step(run, due):\n    if due:\n        collect(run)\n" + step + "    return run\n";
  };
  const std::string before = code("    report(run)\n", "");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", code("", "    report(run)\n")}});
  EXPECT_TRUE(says(text,
                   "`report`, which `collect` called, is called by `step` now (`a.py:14`), which calls `collect` only "
                   "where `due` is set: it runs in other cases, too."))
      << text;
  // Under the same condition it runs as before.
  const std::string same = explain_of({{"a.py", before}}, {{"a.py", code("", "        report(run)\n")}});
  EXPECT_FALSE(says(same, "is called by `step` now")) << same;
}

TEST(DecisiveEdits, ACallThatMovesToACalleeIsMadeForItsOtherCallersToo) {
  const auto code = [](const std::string& step, const std::string& inner, const std::string& other) {
    return "def report(run):\n    run.write(1)\n    return run\n\n\ndef inner(run):\n    run.fill()\n" + inner +
           "    return run\n\n\ndef step(run):\n" + step +
           "    return inner(run)\n\n\ndef evaluate(run):\n    return " + other + "\n";
  };
  const std::string call = "    report(run)\n";
  const std::string text =
      explain_of({{"a.py", code(call, "", "inner(run)")}}, {{"a.py", code("", call, "inner(run)")}});
  EXPECT_TRUE(says(text,
                   "`report`, which `step` called, is called by `inner` now (`a.py:8`): `evaluate`, which calls "
                   "that, comes to it, too."))
      << text;
  const std::string alone = explain_of({{"a.py", code(call, "", "run")}}, {{"a.py", code("", call, "run")}});
  EXPECT_FALSE(says(alone, "comes to it, too")) << alone;
}

TEST(DecisiveEdits, ANewFunctionAroundAnOldCallSaysWhatItIsFor) {
  const auto layer = [](const std::string& call, const std::string& helper) {
    return "class Layer:\n    def forward(self, x):\n        out = self." + call + "(x)\n        return out\n\n" +
           "    def core(self, x):\n        return x\n" + helper;
  };
  const auto helper = [](const std::string& body) {
    return "\n    def run_core(self, x):\n        \"\"\"Pad the values around the core.\"\"\"\n        return " + body +
           "\n";
  };
  const std::string text =
      explain_of({{"a.py", layer("core", "")}}, {{"a.py", layer("run_core", helper("self.core(x)[:-1]"))}});
  EXPECT_TRUE(says(text,
                   "sets `out` to `self.run_core(x)` (“Pad the values around the core.”, around `core`) instead "
                   "of `self.core(x)`"))
      << text;
  const std::string other = explain_of({{"a.py", layer("core", "")}}, {{"a.py", layer("run_core", helper("x[:-1]"))}});
  EXPECT_FALSE(says(other, "around `core`) instead")) << other;
}

TEST(DecisiveEdits, ADecoratorThatAModuleBindsInBranchesComesWithWhatItMayBe) {
  const std::string jit =
      "import torch\n\nfuse = torch.jit.script\n\ntry:\n    fuse = torch.compile\nexcept ImportError:\n\n"
      "    def plain(f):\n        return f\n\n    fuse = plain\n";
  const auto route = [](const std::string& decorator) {
    return "from jit import fuse\n\n\n" + decorator + "def route(x):\n    return x\n";
  };
  const std::string text =
      explain_of({{"jit.py", jit}, {"a.py", route("")}}, {{"jit.py", jit}, {"a.py", route("@fuse\n")}});
  EXPECT_TRUE(says(text,
                   "is decorated with `fuse`, which is `torch.jit.script`, `torch.compile` or `plain` "
                   "(`jit.py:3`)"))
      << text;
  EXPECT_FALSE(says(text, "new decorator `plain`")) << text;
  const std::string one = "import torch\n\nfuse = torch.compile\n";
  const std::string plain =
      explain_of({{"jit.py", one}, {"a.py", route("")}}, {{"jit.py", one}, {"a.py", route("@fuse\n")}});
  EXPECT_FALSE(says(plain, ", which is")) << plain;
}

TEST(DecisiveEdits, NamesOfClassesThatAMessageGivesAndNoCodeHasAreNamed) {
  const auto converter = [](const std::string& value) {
    return "class Fp8LinearConverter:\n    def convert(self, x):\n        return " + value + "\n";
  };
  const std::string text =
      explain_of({{"a.py", converter("1")}}, {{"a.py", converter("2")}}, "Rework converters",
                 "Merges Fp8LinearConverter and its twin into a single Fp8Converter because one pass is enough. Works "
                 "with TorchTitan and PyTorch.");
  EXPECT_TRUE(says(text, "No Python file of the repository has the name `Fp8Converter` of these words")) << text;
  const std::string real = explain_of(
      {{"a.py", converter("1")}},
      {{"a.py", converter("2") + "\n\nclass Fp8Converter(Fp8LinearConverter):\n    pass\n"}}, "Rework converters",
      "Merges Fp8LinearConverter into a single Fp8Converter because one pass is enough.");
  EXPECT_FALSE(says(real, "No Python file of the repository has the name")) << real;
}

TEST(DecisiveEdits, ACheckStandsInPlaceOfOneThatAskedForTheSame) {
  const std::string before =
      "def setup(config):\n    if find_spec('torchao') is None:\n        raise ImportError('not installed')\n"
      "    assert has_capability(10, 0), 'only on new devices'\n    return config\n";
  const std::string after =
      "def setup(config):\n    if Linear is None:\n        raise ImportError('not installed')\n"
      "    if not has_capability(10, 0):\n        raise ValueError('only on new devices')\n    return config\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, "(`'only on new devices'`), in place of `if find_spec")) << text;
}

// More edits than are told: the new branch that makes what the title names is one of those that are.
TEST(DecisiveEdits, WhatTheTitleNamesAsCodeDoesIsTold) {
  const auto make = [](const std::string& self, const std::string& last) {
    std::string text = "import ops\n\n\ndef make(model, config):\n";
    for (const std::string name : {"silu", "gelu", "relu", "tanh", "elu", "swish"})
      text += "    if " + self + "." + name + "_on:\n        model." + name + " = ops." + name + "()\n";
    return text + last + "    return model\n";
  };
  const std::string added = "    if config.act == \"squared\":\n        model.last = ops.ScaledSquare()\n";
  const Files before = {{"a.py", make("model", "")}};
  const Files after = {{"a.py", make("config", added)}};
  const std::string told = "When `config.act` is `\"squared\"`, sets `model.last` to `ops.ScaledSquare()`";
  const std::string named = explain_of(before, after, "Support ScaledSquare");
  EXPECT_TRUE(says(named, told)) << named;
  // A title in everyday words, which the name has in it, names nothing.
  const std::string unnamed = explain_of(before, after, "Make it faster");
  EXPECT_FALSE(says(unnamed, told)) << unnamed;
}

/// One keyword of a library's call may be what mends it, beside many lines that follow.
TEST(DecisiveEdits, ABooleanThatALibrarysCallNewlyGetsIsTold) {
  const auto code = [](bool is_after, const std::string& more) {
    std::string out = "from dataclasses import dataclass\n\n\n@dataclass\nclass Weight:\n";
    if (is_after) out += "    # Tied weights register one parameter under several names.\n    names: tuple = ()\n";
    out += "    value: object = None\n\n\ndef collect(module):\n    return dict(module.named_parameters(recurse=False" +
           more + "))\n\n\n";
    for (int i = 0; i < 8; ++i) {
      const std::string name = "step_" + std::to_string(i);
      out += "def " + name + "(group):\n";
      out += "    group.begin(" + std::to_string(i) + ")\n";
      for (int k = 0; is_after && k < 4; ++k) {
        const std::string part = name + "_" + std::to_string(k);
        out += "    if group.names and group." + part + ":\n        group.add_" + part + "(group.names)\n";
      }
      out += "    return group\n\n\n";
    }
    return out;
  };
  const std::string text = explain_of({{"a.py", code(false, "")}}, {{"a.py", code(true, ", remove_duplicate=False")}},
                                      "Fix tied parameters");
  EXPECT_TRUE(says(text,
                   "- `collect` (changed, `a.py:11`): also passes `remove_duplicate=False` to "
                   "`module.named_parameters`."))
      << text;
  EXPECT_TRUE(says(text,
                   "- the comment above `Weight.names` (`a.py:6`): “Tied weights register one parameter under several "
                   "names.”"))
      << text;
  const std::string counted =
      explain_of({{"a.py", code(false, "")}}, {{"a.py", code(true, ", prefix=group.name")}}, "Fix tied parameters");
  EXPECT_FALSE(says(counted, "### `collect` — changed")) << counted;
}

}  // namespace
}  // namespace lockstep::render
