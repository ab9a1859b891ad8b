// What is told of a new setting: its documentation, the argument that sets it, and what the change asks of it.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// A factory of the kind that large training programs have: one argument for each field of a dataclass.
const std::string kFactory = R"(import dataclasses
from argparse import ArgumentParser


class ArgumentGroup:
    def __init__(self, config, exclude=None):
        self.config = config
        self.exclude = set(exclude or [])

    def build(self, parser):
        for one in dataclasses.fields(self.config):
            if one.name in self.exclude:
                continue
            parser.add_argument("--" + one.name.replace("_", "-"), default=one.default)
)";

const std::string kArguments = R"(from argparse import ArgumentParser

from config import Config
from factory import ArgumentGroup


def add_arguments(parser):
    hidden = ["inner", "rate"]
    ArgumentGroup(Config, exclude=hidden).build(parser)


def validate(args):
    args.depth = max(args.depth, 1)
    return args
)";

const std::string kConfig = R"(from dataclasses import dataclass


@dataclass
class Config:
    depth: int = 1

    def __post_init__(self):
        self.width = 2 * self.depth
)";

const std::string kModel = R"(class Model:
    def forward(self, x):
        for _ in range(self.config.depth):
            x = self.layer(x)
        return x
)";

Files base() {
  return {{"factory.py", kFactory}, {"arguments.py", kArguments}, {"config.py", kConfig}, {"model.py", kModel}};
}

/// The base with two new settings, one of which no argument sets.
Files with_settings() {
  Files out = base();
  out =
      with_edit(out, "config.py", "    depth: int = 1\n",
                "    depth: int = 1\n\n    mix_states: bool = False\n"
                "    \"\"\"Mix the states of all depths.\n    Each token draws one of them. Needs two depths.\"\"\"\n\n"
                "    inner: bool = False\n    \"\"\"Keep what was drawn.\"\"\"\n");
  out = with_edit(out, "config.py", "        self.width = 2 * self.depth\n",
                  "        self.width = 2 * self.depth\n        if self.mix_states and self.depth < 2:\n"
                  "            raise ValueError(\"mix_states needs two depths\")\n");
  out = with_edit(out, "arguments.py", "    return args\n",
                  "    if args.mix_states and args.depth < 2:\n        args.mix_states = False\n    return args\n");
  return with_edit(out, "model.py", "        for _ in range(self.config.depth):\n            x = self.layer(x)\n",
                   "        mixes = self.config.mix_states and self.training\n"
                   "        for _ in range(self.config.depth):\n            x = self.layer(x)\n"
                   "            if mixes and x.ndim > 1:\n                x = x + x.roll(1)\n");
}

/// A field that takes over an argument is the setting that there was.
TEST(NewSettings, AFieldThatTakesOverAnArgumentIsNoNewSetting) {
  const std::string arguments =
      replace_all(kArguments, "    hidden =", "    parser.add_argument('--mix-states')\n    hidden =");
  Files before = base();
  before["arguments.py"] = arguments;
  Files after = base();
  after = with_edit(after, "config.py", "    depth: int = 1\n", "    depth: int = 1\n    mix_states: str = None\n");
  after = with_edit(after, "model.py", "        return x\n",
                    "        if self.config.mix_states:\n            x = mix(x)\n        return x\n");
  const std::string text = explain_of(before, after);
  EXPECT_FALSE(says(text, "New setting `mix_states`")) << text;
  EXPECT_TRUE(says(text, "argument `--mix-states`")) << text;
  const std::string fresh = explain_of(base(), after);
  EXPECT_TRUE(says(fresh, "New setting `mix_states`")) << fresh;
}

/// An argument of another name that only sets a new field is no second setting.
TEST(NewSettings, AnArgumentThatSetsAFieldIsNotToldBesideIt) {
  const Files before = {
      {"config.py", "from dataclasses import dataclass\n\n\n@dataclass\nclass ServeConfig:\n    depth: int = 1\n"},
      {"arguments.py",
       "def add_arguments(parser):\n    parser.add_argument('--serve-depth', type=int, default=1)\n    return "
       "parser\n"},
      {"serve.py",
       "from config import ServeConfig\n\n\ndef config_of(args):\n    return ServeConfig(depth=args.serve_depth)\n\n\n"
       "class Server:\n    def __init__(self, config: ServeConfig):\n        self.size = config.depth\n"}};
  Files after =
      with_edit(before, "config.py", "    depth: int = 1\n",
                "    depth: int = 1\n    all_prefills: bool = False\n    \"\"\"Whether all are covered.\"\"\"\n");
  after = with_edit(after, "arguments.py", "    return parser\n",
                    "    parser.add_argument('--serve-all-prefills', action='store_true', help='Cover all.')\n"
                    "    return parser\n");
  after = with_edit(after, "serve.py", "depth=args.serve_depth",
                    "depth=args.serve_depth, all_prefills=args.serve_all_prefills");
  after = with_edit(after, "serve.py", "        self.size = config.depth\n",
                    "        self.size = config.depth if config.all_prefills else 1\n");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "New setting `all_prefills` (argument `--serve-all-prefills`, default `False`)")) << text;
  EXPECT_FALSE(says(text, "New setting `serve_all_prefills`")) << text;
}

TEST(NewSettings, AreToldWithTheirWholeDocumentation) {
  const std::string text = explain_of(base(), with_settings());
  EXPECT_TRUE(says(text,
                   "New setting `mix_states` (argument `--mix-states`, default `False`): “Mix the states of all "
                   "depths. Each token draws one of them. Needs two depths.”"))
      << text;
}

TEST(NewSettings, AnArgumentIsMadeOfEachFieldThatIsNotLeftOut) {
  const std::string text = explain_of(base(), with_settings());
  EXPECT_TRUE(says(text, "New setting `inner` (default `False`): “Keep what was drawn.”")) << text;
  EXPECT_FALSE(says(text, "--inner")) << text;
  // What is left out cannot be told: nothing is said.
  const Files unknown = with_edit(with_settings(), "arguments.py", "hidden = [\"inner\", \"rate\"]", "hidden = load()");
  EXPECT_FALSE(says(explain_of(base(), unknown), "--mix-states"));
  const Files filled = with_edit(with_settings(), "arguments.py", "    ArgumentGroup(",
                                 "    hidden.append(parser.prog)\n    ArgumentGroup(");
  EXPECT_FALSE(says(explain_of(base(), filled), "--mix-states"));
  // What is on unless it is negated has another argument.
  const Files on = with_edit(with_settings(), "config.py", "mix_states: bool = False", "mix_states: bool = True");
  EXPECT_FALSE(says(explain_of(base(), on), "--mix-states"));
}

TEST(NewSettings, AFactoryThatLeavesOutMoreThanItsCallerNamesIsNotFollowed) {
  const auto with_condition = [](const std::string& condition) {
    const auto edit = [&](const Files& files) {
      return with_edit(files, "factory.py", "if one.name in self.exclude:", "if " + condition + ":");
    };
    return explain_of(edit(base()), edit(with_settings()));
  };
  for (const char* known :
       {"one.name in self.exclude or not one.init", "one.init is False or one.name in self.exclude"})
    EXPECT_TRUE(says(with_condition(known), "--mix-states")) << known;
  for (const char* unknown :
       {"skip(one)", "one.name not in self.exclude", "one.name in (\"mix_states\", \"other\")", "self.quiet",
        "one.name in self.exclude and self.quiet", "one.metadata", "one.name in HIDDEN", "one.name in self.hidden",
        "one.name.startswith(\"mix\")", "one.init"})
    EXPECT_FALSE(says(with_condition(unknown), "--mix-states")) << unknown;
}

TEST(NewSettings, AFieldOfABaseInAnotherModuleIsReadThere) {
  const auto derived = [](Files files) {
    files["small.py"] =
        "from dataclasses import dataclass\n\nfrom config import Config\n\n\n@dataclass\nclass Small(Config):\n"
        "    size: int = 1\n";
    files = with_edit(files, "arguments.py", "from config import Config", "from small import Small");
    return with_edit(files, "arguments.py", "ArgumentGroup(Config,", "ArgumentGroup(Small,");
  };
  EXPECT_TRUE(says(explain_of(derived(base()), derived(with_settings())), "argument `--mix-states`"));
  const Files shared =
      with_edit(derived(with_settings()), "config.py", "mix_states: bool", "mix_states: ClassVar[bool]");
  EXPECT_FALSE(says(explain_of(derived(base()), shared), "--mix-states"));
}

/// So much more code that the checks are none of what the change is about.
Files with_more_code(Files files) {
  for (const char* name : {"gather", "scatter", "mix", "drop", "fill"}) {
    files["model.py"] += std::string("\n\ndef ") + name + "(x):\n";
    for (int i = 0; i < 30; ++i) files["model.py"] += "    x = " + std::string(name) + "_row(x)\n";
    files["model.py"] += "    return x\n";
  }
  return files;
}

TEST(NewSettings, WhatTheChangeAsksOfThemIsToldWithThem) {
  const std::string text = explain_of(base(), with_more_code(with_settings()));
  EXPECT_TRUE(says(text, "What checks it: ")) << text;
  EXPECT_TRUE(says(text,
                   "in `Config.__post_init__`: when `self.mix_states` is set and `self.depth` is less than `2`, "
                   "raises `ValueError` (`\"mix_states needs two depths\"`)"))
      << text;
  EXPECT_TRUE(says(text,
                   "in `validate`: when `args.mix_states` is set and `args.depth` is less than `2`, sets "
                   "`args.mix_states` to `False`"))
      << text;
  // What does more than to refuse or to warn is no check.
  const Files works = with_edit(with_settings(), "arguments.py", "        args.mix_states = False\n",
                                "        args.mix_states = resolve(args)\n");
  EXPECT_FALSE(says(explain_of(base(), with_more_code(works)), "in `validate`: when"));
}

TEST(NewSettings, ALocalThatHoldsTheSettingIsItsCondition) {
  const std::string text = explain_of(base(), with_settings());
  EXPECT_TRUE(says(text,
                   "In the condition: `self.config.mix_states` is set and `self.training` is true (does not hold "
                   "by default)."))
      << text;
  // A local with another value somewhere decides nothing.
  const Files twice = with_edit(with_settings(), "model.py", "        for _ in",
                                "        if x.is_cuda:\n            mixes = True\n        for _ in");
  EXPECT_FALSE(says(explain_of(base(), twice), "`self.training` is true (does not")) << explain_of(base(), twice);
}

TEST(NewSettings, OfANewParameterItsDocumentationAndWhoNamesItAreTold) {
  const std::string model =
      "class Model:\n    def forward(self, x):\n        \"\"\"Run it.\n\n        Args:\n            x: Rows.\n"
      "        \"\"\"\n        x = self.layer(x)\n        if self.training:\n            self.loss(x)\n"
      "        return x\n\n    def loss(self, x):\n        return x.sum()\n";
  Files before = {{"model.py", model}, {"other.py", "def go(model, x):\n    return model.forward(x)\n"}};
  Files after =
      with_edit(before, "model.py", "self, x):\n        \"\"\"Run", "self, x, with_loss=True):\n        \"\"\"Run");
  after = with_edit(after, "model.py", "            x: Rows.\n",
                    "            x: Rows.\n            with_loss: Whether to compute the loss as well.\n");
  after = with_edit(after, "model.py", "if self.training:", "if self.training and with_loss:");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text,
                   "Of `with_loss` its documentation says: “Whether to compute the loss as well.” No other Python "
                   "code outside tests names `with_loss`."))
      << text;
  after = with_edit(after, "other.py", "forward(x)", "forward(x, with_loss=False)");
  EXPECT_FALSE(says(explain_of(before, after), "No other Python code"));
}

TEST(NewSettings, AWayThatMakesNoNewCallPromisesNone) {
  const std::string step = "def step(x):\n    return x + 1\n\n\nif __name__ == \"__main__\":\n    step(1)\n";
  const std::string text = explain_of(
      {{"train.py", step}}, {{"train.py", with_edit({{"train.py", step}}, "train.py", "x + 1", "x + 2")["train.py"]}});
  EXPECT_FALSE(says(text, "which calls of the changed lines it makes then")) << text;
}

TEST(NewSettings, ABranchThatIsTakenOtherwiseIsNamedByWhatItCalls) {
  const std::string code =
      "def scale(x, by):\n    return x * by\n\n\ndef step(x, a, b):\n    if x is not None and a:\n"
      "        for row in x:\n            x = scale(x, row)\n        x = x + 1\n        x = x * 2\n"
      "        x = x - 3\n        save(x)\n    return x\n";
  const Files before = {{"a.py", code}};
  const std::string text = explain_of(before, with_edit(before, "a.py", "and a:", "and b:"));
  EXPECT_TRUE(says(text, "takes the branch that calls `scale` when ")) << text;
}

TEST(NewSettings, AnArgumentThatIsOnlyGuessedIsNotTold) {
  // Another prefix, a loop that leaves some out, what is no field.
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"\"--\" + one", "\"--train-\" + one"},
                                 {"if one.name in self.exclude:", "if one.type is not int:"}}) {
    const Files after = with_edit(with_settings(), "factory.py", from, to);
    EXPECT_FALSE(says(explain_of(with_edit(base(), "factory.py", from, to), after), "--mix-states")) << to;
  }
  const Files constant =
      with_edit(with_settings(), "config.py", "mix_states: bool = False", "mix_states: ClassVar[bool] = False");
  EXPECT_FALSE(says(explain_of(base(), constant), "--mix-states"));
  const Files meant = with_edit(with_settings(), "config.py", "mix_states: bool = False",
                                "mix_states: bool = field(default=False, metadata={\"help\": \"--x must be on\"})");
  EXPECT_TRUE(says(explain_of(base(), meant), "argument `--mix-states`"));
  const Files named = with_edit(with_settings(), "config.py", "mix_states: bool = False",
                                "mix_states: bool = field(default=False, metadata={\"arg_names\": [\"--mix\"]})");
  EXPECT_TRUE(says(explain_of(base(), named), "argument `--mix`"));
}

TEST(NewSettings, WhatACheckAsksForTurnsNothingOn) {
  const std::string text = explain_of(base(), with_settings());
  EXPECT_FALSE(says(text, "In the condition: `args.mix_states` is set and `args.depth` is less than")) << text;
  EXPECT_FALSE(says(text, "- `depth`")) << text;
  // A change that only checks is told by that.
  const Files only = with_edit(base(), "arguments.py", "    return args\n",
                               "    if args.depth > 4:\n        raise ValueError(\"too deep\")\n    return args\n");
  EXPECT_TRUE(says(explain_of(base(), only), "Refused: `args.depth` is more than `4`")) << explain_of(base(), only);
}

TEST(NewSettings, AnAttributeOfAnotherObjectIsNotTheSetting) {
  const Files other = with_edit(with_settings(), "arguments.py",
                                "    if args.mix_states and args.depth < 2:\n        args.mix_states = False\n",
                                "    reply = args.ask()\n    assert reply.mix_states > 0\n");
  EXPECT_FALSE(says(explain_of(base(), with_more_code(other)), "`reply.mix_states`, else"));
  EXPECT_FALSE(says(explain_of(base(), with_more_code(other)), "in `validate`: "));
  // Alone in a condition it is asked for, too.
  const Files alone =
      with_edit(with_settings(), "arguments.py", "if args.mix_states and args.depth < 2:", "if args.mix_states:");
  EXPECT_TRUE(says(explain_of(base(), with_more_code(alone)),
                   "in `validate`: when `args.mix_states` is set, sets `args.mix_states` to `False`"))
      << explain_of(base(), with_more_code(alone));
}

TEST(NewSettings, TheDocumentationEndsWhereItsParagraphDoes) {
  const Files after =
      with_edit(with_settings(), "config.py", "Each token draws one of them. Needs two depths.",
                "Sizes (e.g. 3 vs. 4) are free. One\n    more.\n\n    .. deprecated:: 2.0\n       Not read.");
  EXPECT_TRUE(
      says(explain_of(base(), after), "“Mix the states of all depths. Sizes (e.g. 3 vs. 4) are free. One more.”"))
      << explain_of(base(), after);
}

std::string told_of(const std::string& body) {
  return explain_of({{"a.py", "def step(x, flag):\n    return x\n"}},
                    {{"a.py",
                      "import torch.distributed as dist\n\n\ndef load(x):\n    return x\n\n\ndef step(x, flag, path, "
                      "extra):\n    if flag:\n" +
                          body + "    return x\n"}});
}

TEST(TellingSteps, AnElseIsNotToldWithoutItsCondition) {
  const std::string text = told_of(
      "        load(1)\n        if path:\n            x = load(path)\n        if extra is None:\n"
      "            raise ValueError(\"no\")\n        else:\n            dist.all_reduce(x)\n        load(3)\n        "
      "load(4)\n        load(5)\n");
  EXPECT_FALSE(says(text, "sets `x` to `load(path)`; otherwise")) << text;
}

TEST(TellingSteps, WhatIsSetAnewIsNotLeftOut) {
  const std::string text = told_of(
      "        if path:\n            x = load(path)\n        load(1)\n        load(2)\n        x = load(0)\n"
      "        dist.all_reduce(x)\n");
  EXPECT_TRUE(says(text, "sets `x` to `load(0)`")) << text;
}

/// A field that a CLI argument of its name gives another default: runs get that one.
TEST(NewSettings, TheDefaultOfTheArgumentIsToldBesideTheFieldsOwn) {
  const auto text_of = [](const std::string& path, const std::string& argument) {
    const Files before = {
        {"config.py", "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    sharding: str = 'none'\n"},
        {path, "def add_arguments(parser):\n    parser.add_argument('--sharding', " + argument + ")\n"},
        {"a.py",
         "from config import Config\n\n\ndef run(config: Config, x):\n    if config.sharding == 'full':\n"
         "        x = x + 1\n    return x\n"}};
    return explain_of(before, with_edit(before, "a.py", "x + 1", "x + 2"));
  };
  const std::string other = text_of("arguments.py", "type=str, default='full'");
  EXPECT_TRUE(
      says(other,
           "`sharding` (`config.py:6`), argument `--sharding`, default `'none'`, but `'full'` where the argument "
           "is not given. In the condition: `config.sharding` is `'full'`."))
      << other;
  for (const std::string& text :
       {text_of("arguments.py", "type=str, default=\"none\""), text_of("arguments.py", "type=str"),
        text_of("tools/arguments.py", "default='full'")}) {
    EXPECT_TRUE(
        says(text, "default `'none'`. In the condition: `config.sharding` is `'full'` (does not hold by default)."))
        << text;
  }
}

/// `config.x = args.another_x`: people type the second.
TEST(NewSettings, AnArgumentOfAnotherNameThatGivesTheFieldIsTold) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    depth: int = 1\n    "
      "fp32_sum: bool = False\n";
  const std::string main = R"(import argparse

from config import Config


def run(config, x):
    return x


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ddp-fp32-sum", action="store_true")
    args = parser.parse_args()
    kwargs = {}
    kwargs["fp32_sum"] = args.ddp_fp32_sum
    print(run(Config(**kwargs), 1))


if __name__ == "__main__":
    main()
)";
  std::string now = main;
  now.replace(now.find("    return x\n"), 13, "    if config.fp32_sum:\n        x = x + 1\n    return x\n");
  const std::string text =
      explain_of({{"config.py", config}, {"main.py", main}}, {{"config.py", config}, {"main.py", now}});
  EXPECT_TRUE(says(text, "`fp32_sum` (`config.py:7`), argument `--ddp-fp32-sum`, default `False`")) << text;
}

TEST(NewSettings, OfClassesWithTheSameFieldTheOneThatIsReadIsTold) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass DdpConfig:\n    sharded: bool = False\n\n\n@dataclass\n"
      "class OptimizerConfig:\n    sharded: bool = True\n    rate: float = 1.0\n    decay: float = 0.0\n";
  const std::string before =
      "from config import DdpConfig\n\n\ndef wrap(model, ddp_config: DdpConfig):\n    return model\n";
  const std::string after =
      "from config import DdpConfig\n\n\ndef wrap(model, ddp_config: DdpConfig):\n    if "
      "ddp_config.sharded:\n        model = split(model)\n    return model\n";
  const std::string text =
      explain_of({{"config.py", config}, {"wrap.py", before}}, {{"config.py", config}, {"wrap.py", after}});
  EXPECT_TRUE(says(text, "`sharded` (`config.py:6`), default `False`")) << text;
}

TEST(NewSettings, AHookThatNobodySetsIsToldSo) {
  const std::string config =
      "from dataclasses import dataclass\nfrom typing import Callable, Optional\n\n\n@dataclass\n"
      "class Config:\n    depth: int = 1\n";
  const std::string hook =
      "    scale_func: Optional[Callable] = None\n    \"\"\"Scales the loss of the routers.\"\"\"\n";
  const std::string before = "def step(config, x):\n    return x\n";
  const std::string after =
      "def step(config, x):\n    if config.scale_func is not None:\n        x = config.scale_func(x)\n    return x\n";
  const auto explain = [&](const std::string& other, const std::string& path = "b.py") {
    return explain_of({{"config.py", config}, {"a.py", before}, {path, other}},
                      {{"config.py", config + hook}, {"a.py", after}, {path, other}});
  };
  EXPECT_TRUE(says(explain("x = 1\n"), "No Python code of the repository, tests included, sets it."));
  const std::string sets = "def f(config):\n    config.scale_func = abs\n";
  EXPECT_FALSE(says(explain(sets), "sets it."));
  EXPECT_TRUE(says(explain(sets, "tests/test_b.py"), "Outside tests, no Python code sets it."));
}

TEST(NewSettings, AFieldThatHeirsShareIsThatOfTheirBase) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass TrainConfig:\n    steps: int = 10000\n    rate: float "
      "= "
      "1.0\n\n\n@dataclass\nclass CheckConfig:\n    steps: int = -1\n\n\n@dataclass\nclass "
      "ImageCheckConfig(CheckConfig):"
      "\n    size: int = 1\n";
  const std::string before =
      "from config import CheckConfig, ImageCheckConfig\n\n\nclass Check:\n    def __init__(self, config):\n        "
      "self.config = config\n\n    def run(self, n):\n        return n\n\n\nCheck(CheckConfig())\n"
      "Check(ImageCheckConfig())\n";
  std::string after = before;
  after.replace(after.find("        return n\n"), 17,
                "        if n < self.config.steps:\n            n = n + 1\n        return n\n");
  const std::string text =
      explain_of({{"config.py", config}, {"check.py", before}}, {{"config.py", config}, {"check.py", after}});
  EXPECT_TRUE(says(text, "`steps` (`config.py:12`), default `-1`")) << text;
}

/// A parameter that comes with a change that nothing but a test gives it to.
TEST(NewSettings, AParameterThatOnlyTestsGiveIsToldSo) {
  const std::string before = "def seed(n):\n    return n\n\n\ndef main():\n    seed(1)\n";
  const std::string after =
      "def seed(n, group=None):\n    if group is None:\n        group = default()\n    return n + group\n\n\ndef "
      "main():\n"
      "    seed(1)\n";
  const std::string test = "from a import seed\n\n\ndef test_seed():\n    assert seed(1, group=2)\n";
  const std::string other = "def split(group):\n    return group\n";
  const auto explain = [&](const std::string& now) {
    return explain_of({{"a.py", before}, {"b.py", other}, {"tests/test_a.py", test}},
                      {{"a.py", now}, {"b.py", other}, {"tests/test_a.py", test}});
  };
  EXPECT_TRUE(says(explain(after), "No call outside tests that was found gives `group`.")) << explain(after);
  // What callers give is no value that the function works out.
  EXPECT_FALSE(says(explain(after), "`group` being")) << explain(after);
  std::string given = after;
  given.replace(given.rfind("seed(1)"), 7, "seed(1, 2)");
  EXPECT_FALSE(says(explain(given), "gives `group`")) << explain(given);
}

/// "lib.lr_scheduler" in a title is a module.
TEST(NewSettings, APartOfAModulesNameIsNoSettingOfTheTitle) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    lr_scheduler: str = \"a\"\n";
  const Files before = {{"config.py", config}, {"a.py", "def f(x):\n    return x\n"}};
  const Files after = {{"config.py", config}, {"a.py", "def f(x):\n    return x + 1\n"}};
  const auto explain = [&](const char* title) { return explain_of(before, after, title); };
  EXPECT_FALSE(says(explain("Remove the legacy lib.lr_scheduler path"), "`lr_scheduler` (`config.py:6`)"));
  EXPECT_TRUE(says(explain("Respect lr_scheduler"), "`lr_scheduler` (`config.py:6`)"));
}

/// A parameter that is handed on, and that nobody outside tests gives at the end of the chain.
TEST(NewSettings, AParameterThatStaysAtItsDefaultIsSaidTo) {
  const std::string before = R"(class Context:
    def __init__(self, device):
        self.device = device


def shard_context(device):
    return Context(device)


def adapt(device):
    return shard_context(device)
)";
  const std::string after = R"(class Context:
    def __init__(self, device, unify=False):
        self.device = device
        self.unify = unify


def shard_context(device, unify=False):
    return Context(device, unify=unify)


def adapt(device):
    return shard_context(device)
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text,
                   "In all calls outside tests that were found, `unify` stays at `False`, also where `shard_context` "
                   "hands a new `unify` of its own on."))
      << text;
  EXPECT_TRUE(says(text, "`Context.__init__` and `shard_context` take the new `unify`, with a default.")) << text;
  const std::string given = with_edit({{"a.py", after}}, "a.py", "    return shard_context(device)\n",
                                      "    return shard_context(device, unify=True)\n")["a.py"];
  EXPECT_FALSE(says(explain_of({{"a.py", before}}, {{"a.py", given}}), "`unify` stays at"));
}

/// A choice that a setting takes anew is the switch of what the change brings.
TEST(NewSettings, TextsThatACheckOfASettingAcceptsAreTold) {
  const auto config = [](const std::string& check) {
    return Files{{"config.py",
                  "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n"
                  "    modules: list = None\n    size: int = 1\n\n    def __post_init__(self):\n"
                  "        if self.size > 1:\n" +
                      check}};
  };
  const auto sets = [&](const std::string& texts) {
    return config("            allowed = {" + texts +
                  "}\n            invalid = set(self.modules) - allowed\n"
                  "            assert not invalid, f'{invalid}'\n");
  };
  const std::string told = "The check of `modules` (`config.py:13`, in `Config.__post_init__`) accepts ";
  const std::string more = explain_of(sets("'moe', 'mlp'"), sets("'moe', 'qkv', 'mlp'"));
  EXPECT_TRUE(says(more, told + "`\"qkv\"` now.")) << more;
  const std::string less = explain_of(sets("'moe', 'qkv', 'mlp'"), sets("'moe', 'mlp'"));
  EXPECT_TRUE(says(less, "in `Config.__post_init__`) no longer accepts `\"qkv\"`.")) << less;
  for (const std::string& form :
       {std::string("            assert self.modules in (@)\n"),
        std::string("            if self.modules not in [@]:\n                raise ValueError('bad')\n"),
        std::string("            for one in self.modules:\n                assert one in (@)\n"),
        std::string("            assert set(self.modules) <= {@}\n"),
        std::string("            assert set(self.modules).issubset({@})\n")}) {
    const std::string text = explain_of(config(replace_all(form, "@", "'moe', 'mlp'")),
                                        config(replace_all(form, "@", "'moe', 'qkv', 'mlp'")));
    EXPECT_TRUE(says(text, "in `Config.__post_init__`) accepts `\"qkv\"` now.")) << form << text;
  }
  // What only decides, what is refused, what another check of the field may refuse, and what is no text of a list
  // alone.
  for (const std::string& form :
       {std::string("            if self.modules in (@):\n                self.size = 2\n"),
        std::string("            assert self.modules not in (@)\n"),
        std::string("            if self.modules in (@):\n                raise ValueError('bad')\n"),
        std::string("            assert self.modules in (@)\n            assert self.modules in ('moe', 'mlp')\n"),
        std::string("            assert self.modules in (OTHER, @)\n"),
        std::string("            names = (@)\n            if self.size:\n                names = OTHER\n"
                    "            assert self.modules in names\n")}) {
    const std::string text = explain_of(config(replace_all(form, "@", "'moe', 'mlp'")),
                                        config(replace_all(form, "@", "'moe', 'qkv', 'mlp'")));
    EXPECT_FALSE(says(text, "The check of")) << form << text;
  }
}

TEST(NewSettings, NewChoicesOfOldSettingsAreTold) {
  const std::string arguments =
      "import argparse\n\n\ndef parse():\n    parser = argparse.ArgumentParser()\n    "
      "parser.add_argument(\"--balancing-type\", choices=[\"loss\", \"none\"], default=\"loss\")\n    return "
      "parser.parse_args()\n";
  const std::string config =
      "from typing import Literal\n\n\nclass Config:\n    policy: Literal[\"first\", \"turns\"] = "
      "\"first\"\n";
  const std::string router =
      "def route(config, x):\n    if config.balancing_type == \"loss\":\n        return x\n    "
      "return -x\n";
  const Files before = {{"arguments.py", arguments}, {"config.py", config}, {"router.py", router}};
  Files after = with_edit(before, "arguments.py", "\"none\"]", "\"quantile\", \"none\"]");
  after = with_edit(after, "router.py", "    return -x",
                    "    if config.balancing_type == \"quantile\":\n        return "
                    "x * x\n    return -x");
  after = with_edit(after, "config.py", "\"turns\"]", "\"load\"]");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text,
                   "`balancing_type` (argument `--balancing-type`) takes the new choice `\"quantile\"`, which `route` "
                   "asks for."))
      << text;
  EXPECT_TRUE(says(text, "`policy` takes the new choice `\"load\"` and no longer takes `\"turns\"`.")) << text;
  EXPECT_FALSE(says(explain_of(before, with_edit(before, "router.py", "-x", "x + 1")), "choice"));
}

/// What is on gets the argument that switches it off, where the code that makes arguments does so.
TEST(NewSettings, WhatIsOnByDefaultHasTheArgumentThatSwitchesItOff) {
  const std::string negating = with_edit({{"factory.py", kFactory}}, "factory.py",
                                         "            parser.add_argument(\"--\" + one.name.replace(\"_\", \"-\"), "
                                         "default=one.default)\n",
                                         R"(            parser.add_argument(self.spell(one), **self.options(one))

    def options(self, one):
        return {"action": "store_false", "dest": one.name} if one.default is True else {"default": one.default}

    def spell(self, one):
        name = self.negate(one.name, prefix="no") if one.default is True else one.name
        return "--" + name.replace("_", "-")

    def negate(self, name, prefix):
        return prefix + "_" + name
)")
                                   .at("factory.py");
  Files before = base();
  before["factory.py"] = negating;
  Files after = with_settings();
  after["factory.py"] = negating;
  after = with_edit(after, "config.py", "mix_states: bool = False", "mix_states: bool = True");
  EXPECT_TRUE(says(explain_of(before, after), "argument `--no-mix-states`")) << explain_of(before, after);
  after["factory.py"] = before["factory.py"] = kFactory;
  EXPECT_FALSE(says(explain_of(before, after), "--no-mix-states"));
}

// Two scripts that each have an option of one name have two settings: a condition of one asks for nothing of the other.
TEST(NewSettings, AConditionOfAnotherScriptAsksForItsOwnArgument) {
  const auto script = [](const std::string& size, const std::string& body) {
    return "import argparse\n\n\ndef work(args, stream):\n" + body +
           "\n\nif __name__ == \"__main__\":\n    parser = argparse.ArgumentParser()\n    "
           "parser.add_argument(\"--calib-size\", "
           "type=int, default=" +
           size + ")\n    work(parser.parse_args(), [])\n";
  };
  const std::string plain = "    return read(args.calib_size)\n";
  const std::string asks = "    if len(stream) >= args.calib_size:\n        stop(stream)\n    return stream\n";
  const std::string text =
      explain_of({{"prune.py", script("512", "    return stream\n")}, {"quantize.py", script("512", plain)}},
                 {{"prune.py", script("512", asks)}, {"quantize.py", script("1024", plain)}});
  EXPECT_TRUE(says(text, "argument `--calib-size`, default `1024` instead of `512`")) << text;
  EXPECT_FALSE(says(text, "In the condition: `len(stream)` is at least `args.calib_size`")) << text;
}

}  // namespace
}  // namespace lockstep::render
