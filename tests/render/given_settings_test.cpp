// From which settings a parameter is given its values: through `self`, `*args` and `**kwargs`, dictionaries that are
// filled, and not where a value may come from elsewhere.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kConfig = R"(from dataclasses import dataclass


@dataclass
class Config:
    hidden: int = 4
    use_fusion: bool = False
)";

const std::string kLayers = R"(class Layer:
    def __init__(self, config):
        self.config = config

    def forward(self, x):
        return x


class FusedLayer(Layer):
    def forward(self, x):
        y = x + 1
        return y
)";

const std::string kSpec = R"(from config import Config
from layers import FusedLayer, Layer


def layer_spec(config, fused=False):
    if fused:
        return FusedLayer(config)
    return Layer(config)


)";

const std::string kEnd = R"(

def main():
    layer = build(Config())
    for step in range(3):
        layer.forward(step)


if __name__ == "__main__":
    main()
)";

/// What is said where `train.py` holds `build`, which makes the layer.
std::string explained(const std::string& build, const std::string& start = kSpec, const Files& more = {}) {
  Files files = more;
  files.try_emplace("config.py", kConfig);
  files.try_emplace("layers.py", kLayers);
  files["train.py"] = start + build + kEnd;
  return explain_of(files, with_edit(files, "layers.py", "x + 1", "x + 2"));
}

constexpr std::string_view kAny = "Outside tests, objects of";
constexpr std::string_view kGiven = "`fused` is given from the setting `use_fusion`";

TEST(GivenSettings, WhatACallSpreadsMayBeAnything) {
  EXPECT_FALSE(says(explained("def build(config):\n    return layer_spec(*parts(config))\n"), kAny));
  EXPECT_FALSE(says(explained("def build():\n    return layer_spec(*parts())\n"), kAny));
  EXPECT_FALSE(says(explained("def build(config):\n    return layer_spec(config, **parts())\n"), kAny));
}

const std::string kFilled =
    "def build(config):\n    return build_with(config, fused=config.use_fusion)\n\n\n"
    "def build_with(config, **kw):\n    MORE\n    return layer_spec(config, **kw)\n";

TEST(GivenSettings, KeywordsThatAreHandedOnMayBeFilledOnTheWay) {
  for (const std::string& more :
       {std::string("print(kw)"), std::string("if 'fused' in kw:\n        print(kw['fused'], len(kw))"),
        std::string("kw['size'] = 1"), std::string("kw.setdefault('fused', False)"), std::string("kw.update(size=1)")})
    EXPECT_TRUE(says(explained(replace_all(kFilled, "MORE", more)), kGiven)) << more;
  for (const std::string& more :
       {std::string("if config.hidden > 4:\n        kw['fused'] = True"),
        std::string("for key in config.keys:\n        kw[key] = True"), std::string("kw.setdefault('fused', True)"),
        std::string("kw |= config.more"), std::string("kw.update(**config.more)"),
        std::string("kw.update(config.more)"), std::string("kw['fused'] |= config.hidden > 4"), std::string("fill(kw)"),
        std::string("kw = config.more"), std::string("other = kw\n    other['fused'] = True")})
    EXPECT_FALSE(says(explained(replace_all(kFilled, "MORE", more)), kAny)) << more;
}

TEST(GivenSettings, ADictionaryThatIsMadeThereMayBeFilledToo) {
  const std::string local =
      "def build(config):\n    kw = {'fused': config.use_fusion}\n    MORE\n    return layer_spec(config, **kw)\n";
  EXPECT_TRUE(says(explained(replace_all(local, "MORE", "print(kw)")), kGiven));
  EXPECT_TRUE(says(explained(replace_all(local, "MORE", "kw.pop('fused', None)")), kGiven));
  for (const std::string& more :
       {std::string("kw[config.key] = True"), std::string("fill(kw)"), std::string("kw |= config.more"),
        std::string("if config.more:\n        kw = parts()")})
    EXPECT_FALSE(says(explained(replace_all(local, "MORE", more)), kAny)) << more;
}

const std::string kMade = R"(from config import Config
from layers import FusedLayer, Layer


class Base:
    def __init__(self, config, fused=False):
        self.layer = FusedLayer(config) if fused else Layer(config)

    def forward(self, x):
        return self.layer.forward(x)


class Child(Base):
    def __init__(self, config):
        CALL


)";

TEST(GivenSettings, SelfIsCountedOffOnlyWhereItIsNotWritten) {
  const std::string build = "def build(config):\n    return Child(config)\n";
  for (const std::string& call : {std::string("super().__init__(config, config.use_fusion)"),
                                  std::string("super().__init__(config, fused=config.use_fusion)"),
                                  std::string("Base.__init__(self, config, config.use_fusion)")})
    EXPECT_TRUE(says(explained(build, replace_all(kMade, "CALL", call)), kGiven)) << call;
  for (const std::string& call :
       {std::string("Base.__init__(self, config, True)"), std::string("Base.__init__(self, config.use_fusion, True)"),
        std::string("super().__init__(config, True)")})
    EXPECT_FALSE(says(explained(build, replace_all(kMade, "CALL", call)), kAny)) << call;
}

TEST(GivenSettings, ArgumentsThatAreHandedOnByPlaceAreAskedOfTheCallsOfTheCaller) {
  const std::string on = "def build_with(*args):\n    return layer_spec(*args)\n\n\n";
  EXPECT_TRUE(says(explained(on + "def build(config):\n    return build_with(config, config.use_fusion)\n"), kGiven));
  EXPECT_FALSE(says(explained(on + "def build(config):\n    return build_with(config, True)\n"), kAny));
}

TEST(GivenSettings, AnAttributeHoldsTheSettingOnlyWhereNothingElseIsPutThere) {
  const std::string builder =
      "class Builder:\n    def __init__(self, config):\n        self.fused = config.use_fusion\nMORE\n"
      "    def layer(self, config):\n        return layer_spec(config, self.fused)\n\n\n"
      "def build(config):\n    return Builder(config).layer(config)\n";
  const std::string other = "        if config.hidden > 4:\n            self.fused = True\n";
  EXPECT_TRUE(says(explained(replace_all(builder, "MORE", "")), kGiven));
  EXPECT_FALSE(says(explained(replace_all(builder, "MORE", other)), kAny));
  const std::string asked =
      replace_all(builder, "layer_spec(config, self.fused)", "FusedLayer(config) if self.fused else Layer(config)");
  const std::string start = kSpec.substr(0, kSpec.find("\ndef"));
  EXPECT_TRUE(says(explained(replace_all(asked, "MORE", ""), start), kAny));
  EXPECT_FALSE(says(explained(replace_all(asked, "MORE", other), start), kAny));
}

TEST(GivenSettings, WhatADecoratorMakesOfAFunctionMayBeCalledFromOutside) {
  const std::string call = "def build(config):\n    return build_with(config, config.use_fusion)\n\n\n";
  const std::string with = "def build_with(config, fused=False):\n    return layer_spec(config, fused)\n";
  EXPECT_TRUE(says(explained(call + with), kGiven));
  EXPECT_TRUE(says(explained("import torch\n\n\n" + call + "@torch.no_grad()\n" + with), kGiven));
  EXPECT_FALSE(says(explained("import click\n\n\n" + call + "@click.command()\n" + with), kAny));
}

}  // namespace
}  // namespace lockstep::render
