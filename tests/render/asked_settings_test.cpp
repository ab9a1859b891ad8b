// Settings that conditions ask for under other names: what a parameter, a local or a part of a configuration holds,
// which class a local got, where the objects of a class come from; and where code sets such a setting.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kConfigs = R"(from dataclasses import dataclass, field


@dataclass
class OptimizerConfig:
    layer_wise: bool = False
    """Lay parameters out layer by layer."""
    version: int = 1
    """Which wrapper to take."""


@dataclass
class Container:
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)


def validate(args):
    if args.name == "muon":
        args.layer_wise = True
)";

const std::string kSetUp = R"(from configs import Container
from core import build


def main():
    cfg = Container()
    build(3, layer_wise=cfg.optimizer.layer_wise)


if __name__ == "__main__":
    main()
)";

const std::string kCore = R"(def layout(x):
    return x + 1


def build(x, layer_wise=False):
    if layer_wise:
        return layout(x)
    return x
)";

std::string explained(Files files, std::string_view path, std::string_view old_text, std::string_view new_text) {
  return explain_of(files, with_edit(files, std::string(path), std::string(old_text), std::string(new_text)));
}

TEST(AskedSettings, WhatAParameterIsGivenFromAPartOfAConfiguration) {
  const std::string text =
      explained({{"configs.py", kConfigs}, {"core.py", kCore}, {"train.py", kSetUp}}, "core.py", "x + 1", "x + 2");
  EXPECT_TRUE(says(text, "- `layer_wise` (`configs.py:6`), default `False`.")) << text;
  EXPECT_TRUE(says(text, "In the condition: `layer_wise` is set.")) << text;
  // Where code sets it, and when.
  EXPECT_TRUE(says(text, "`validate` (`configs.py:19`) sets it to `True` where `args.name` is `\"muon\"`.")) << text;
}

TEST(AskedSettings, TwoPlacesThatSetItComeWithTheirConditionsThreeAreCounted) {
  const std::string first = "    if args.name == \"muon\":\n        args.layer_wise = True\n";
  const std::string second = "    if args.shard:\n        args.layer_wise = True\n";
  const std::string two_places = replace_all(kConfigs, first, first + second);
  ASSERT_NE(two_places, kConfigs);
  const std::string two =
      explained({{"configs.py", two_places}, {"core.py", kCore}, {"train.py", kSetUp}}, "core.py", "x + 1", "x + 2");
  EXPECT_TRUE(says(two,
                   "`validate` (`configs.py:19`) sets it to `True` where `args.name` is `\"muon\"`; the same function "
                   "(`configs.py:21`) sets it to `True` where `args.shard` is set."))
      << two;
  const std::string third = "    if args.fuse:\n        args.layer_wise = True\n";
  const std::string three = explained(
      {{"configs.py", replace_all(two_places, second, second + third)}, {"core.py", kCore}, {"train.py", kSetUp}},
      "core.py", "x + 1", "x + 2");
  EXPECT_TRUE(says(three, "Code sets it to another value in 3 places, `validate` (`configs.py:19`) among them."))
      << three;
}

TEST(AskedSettings, WhatIsNoPartOfAConfigurationIsNone) {
  const std::string other = replace_all(kSetUp, "cfg.optimizer.layer_wise", "cfg.scheduler.layer_wise");
  const std::string text =
      explained({{"configs.py", kConfigs}, {"core.py", kCore}, {"train.py", other}}, "core.py", "x + 1", "x + 2");
  EXPECT_FALSE(says(text, "- `layer_wise` (`configs.py:6`)")) << text;
}

const std::string kWrappers = R"(class Plain:
    def __init__(self, x):
        self.x = x


class Sharded:
    def __init__(self, x):
        self.x = x + 1


class Fused:
    def __init__(self, x):
        self.x = x


def wrap(x, config):
    if config.is_fused:
        cls = Fused
    else:
        cls = Sharded if config.version == 2 else Plain
    return cls(x)
)";

TEST(AskedSettings, TheClassThatALocalGetsIsChosenByItsConditions) {
  const std::string main_script =
      "from configs import OptimizerConfig\nfrom core import wrap\n\n\nif __name__ == \"__main__\":\n"
      "    wrap(3, OptimizerConfig())\n";
  const Files files = {{"configs.py", kConfigs}, {"core.py", kWrappers}, {"train.py", main_script}};
  const std::string text = explained(files, "core.py", "x + 1", "x + 2");
  EXPECT_TRUE(says(text, "`config.version` is `2`")) << text;
  EXPECT_TRUE(says(text, "- `version` (`configs.py:8`), default `1`.")) << text;
  // A local that may hold something else says nothing.
  Files unknown = files;
  unknown["core.py"] =
      replace_all(kWrappers, "cls = Fused", "cls = pick(x)") + "\n\ndef pick(x):\n    return Sharded\n";
  EXPECT_FALSE(says(explained(unknown, "core.py", "x + 1", "x + 2"), "This way is taken when `config.version`"));
}

const std::string kSpecs = R"(from layers import Delta, Plain


class Spec:
    def __init__(self, module):
        self.module = module


def delta_spec(config):
    return Spec(module=Delta)


def variant_spec(config):
    if config.variant == "delta":
        return delta_spec(config)
    return Spec(module=Plain)


def hybrid_spec():
    return Spec(module=Delta)


def build(config):
    return variant_spec(config).module(config)
)";

const std::string kLayers = R"(class Plain:
    def __init__(self, config):
        self.config = config

    @staticmethod
    def width(config):
        return 1


class Delta:
    def __init__(self, config):
        self.config = config

    @staticmethod
    def width(config):
        return 2

    def forward(self, x):
        return x + 1
)";

const std::string kModelConfig = R"(from dataclasses import dataclass


@dataclass
class ModelConfig:
    variant: str = None
    """Which layer to take."""
)";

Files layer_files() {
  return {{"specs.py", kSpecs},
          {"layers.py", kLayers},
          {"model_config.py", kModelConfig},
          {"train.py",
           "from model_config import ModelConfig\nfrom specs import build, hybrid_spec\n\n\n"
           "if __name__ == \"__main__\":\n    build(ModelConfig()).forward(1)\n    hybrid_spec()\n"}};
}

TEST(AskedSettings, AFunctionThatNamesAClassIsAskedForItsCallers) {
  Files files = layer_files();
  const std::string both = explained(files, "layers.py", "x + 1", "x + 2");
  EXPECT_TRUE(says(both, "Objects of `Delta` are made where `config.variant` is `\"delta\"` (`specs.py:15`)")) << both;
  EXPECT_TRUE(says(both, "The class is named at `specs.py:20`, too, under no condition on a setting.")) << both;
  files["specs.py"] = replace_all(kSpecs, "def hybrid_spec():\n    return Spec(module=Delta)",
                                  "def hybrid_spec():\n    return Spec(module=Plain)");
  const std::string one = explained(files, "layers.py", "x + 1", "x + 2");
  EXPECT_TRUE(says(one, "Outside tests, objects of `Delta` are made only where `config.variant` is `\"delta\"`"))
      << one;
  // A static method that does not name its class makes no object of it.
  files["specs.py"] = replace_all(files["specs.py"], "def hybrid_spec():\n    return Spec(module=Plain)",
                                  "def hybrid_spec():\n    return Delta.width(None)");
  EXPECT_TRUE(says(explained(files, "layers.py", "x + 1", "x + 2"), "objects of `Delta` are made only where"));
}

TEST(AskedSettings, WhatHoldsByDefaultIsNoConditionOfTheChoice) {
  const std::string core = R"(def plain(x):
    return x + 1


def sharded(x):
    return x


def wrap(x, config):
    if config.version == 2:
        run = sharded
    else:
        run = plain
    return run(x)
)";
  const std::string text =
      explained({{"configs.py", kConfigs},
                 {"core.py", core},
                 {"train.py",
                  "from configs import OptimizerConfig\nfrom core import wrap\n\n\nif __name__ == \"__main__\":\n"
                  "    wrap(3, OptimizerConfig())\n"}},
                "core.py", "x + 1", "x + 2");
  EXPECT_FALSE(says(text, "does not hold by default")) << text;
}

/// What a new function asks that answers a question is what switches the change, in what it returns, too.
TEST(AskedSettings, WhatANewPredicateReturnsIsAskedFor) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass ModelConfig:\n    fused_head: bool = False\n"
      "    head_recipe: str = 'plain'\n";
  const std::string before = "def head(config, x):\n    return x\n";
  const auto explained = [&](const std::string& predicate) {
    return explain_of(
        {{"config.py", config}, {"a.py", before}},
        {{"config.py", config},
         {"a.py", predicate + replace_all(before, "    return x",
                                          "    if is_fused(config):\n        return x * 2\n    return x")}});
  };
  const std::string text = explained(
      "def is_fused(config):\n    if not config.fused_head:\n        return False\n"
      "    return config.head_recipe == 'fast'\n\n\n");
  EXPECT_TRUE(says(text, "- `head_recipe` (`config.py:7`)")) << text;
  EXPECT_TRUE(says(text, "- `fused_head` (`config.py:6`)")) << text;
}

}  // namespace
}  // namespace lockstep::render
