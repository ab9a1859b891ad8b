// What turns changed code on: the settings under which objects of its class are made, told where all places that make
// them stand under such a condition and not where one does not; and callables that only such a setting brings.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "report/ways/objects/chosen_classes.h"

namespace lockstep::render {
namespace {

const std::string kConfig = R"(from dataclasses import dataclass


@dataclass
class Config:
    use_fusion: bool = False
    norm: str = "plain"
)";

const std::string kLayers = R"(class Layer:
    def __init__(self, size):
        self.size = size

    def forward(self, x):
        return x


class FusedLayer(Layer):
    def forward(self, x):
        y = x + 1
        return y
)";

const std::string kSpecs = R"(from functools import partial

from layers import FusedLayer, Layer


def layer_spec(size, fused=False):
    if fused:
        kind = FusedLayer
    else:
        kind = Layer
    return partial(kind, size)


def block_spec(*args, **kwargs):
    return layer_spec(*args, **kwargs)
)";

const std::string kMain = R"(from config import Config
from specs import block_spec


def run(config, x):
    layer = block_spec(4, fused=config.use_fusion)()
    return layer.forward(x)


def main():
    config = Config()
    for step in range(3):
        run(config, step)


if __name__ == "__main__":
    main()
)";

std::string explained(const std::string& specs, const std::string& script = kMain, const std::string& layers = kLayers,
                      const Files& more = {}) {
  Files files = more;
  files["config.py"] = kConfig;
  files["layers.py"] = layers;
  files["specs.py"] = specs;
  files["train.py"] = script;
  return explain_of(files, with_edit(files, "layers.py", "x + 1", "x + 2"));
}

constexpr std::string_view kAny = "Outside tests, objects of";

TEST(ChosenClasses, AParameterIsFollowedToTheSettingThatItIsGivenFrom) {
  const std::string test = "from layers import FusedLayer\n\n\ndef test_it():\n    assert FusedLayer(1).forward(1)\n";
  const std::string text = explained(kSpecs, kMain, kLayers, {{"tests/test_layers.py", test}});
  EXPECT_TRUE(says(text,
                   "Outside tests, objects of `FusedLayer` are made only where `fused` is set (`specs.py:8`); `fused` "
                   "is given from the setting `use_fusion` (`config.py:6`), which is `False` by default."))
      << text;
  EXPECT_TRUE(says(text,
                   "- `use_fusion` (`config.py:6`), default `False`. In the condition: `fused` is set (does not "
                   "hold by default)."))
      << text;
}

TEST(ChosenClasses, AStaticMethodThatMakesNothingIsNoPlace) {
  const std::string helpers =
      "\n    @staticmethod\n    def widths(sizes):\n        return [FusedLayer.width(one) for one in sizes]\n\n"
      "    @staticmethod\n    def width(size):\n        return size * 2\n\n"
      "    @staticmethod\n    def of(size):\n        return FusedLayer(size)\n\n"
      "    limit = 8\n\n    @classmethod\n    def capped(cls, size):\n        return min(size, cls.limit)\n\n"
      "    @classmethod\n    def made(cls, size):\n        return cls(size)\n";
  const auto text_with = [&](const std::string& method) {
    return explained(kSpecs + "\n\ndef plan(sizes):\n    return FusedLayer." + method + "(sizes)\n", kMain,
                     kLayers + helpers);
  };
  EXPECT_TRUE(says(text_with("widths"), "made only where `fused` is set (`specs.py:8`)")) << text_with("widths");
  EXPECT_FALSE(says(text_with("of"), kAny)) << text_with("of");
  EXPECT_TRUE(says(text_with("capped"), "made only where `fused` is set (`specs.py:8`)")) << text_with("capped");
  EXPECT_FALSE(says(text_with("made"), kAny)) << text_with("made");
}

TEST(ChosenClasses, TheDictionaryOfArgumentsIsReadToo) {
  const std::string script = replace_all(kMain, "    layer = block_spec(4, fused=config.use_fusion)()\n",
                                         "    kwargs = {\"fused\": config.use_fusion}\n"
                                         "    layer = block_spec(4, **kwargs)()\n");
  EXPECT_TRUE(says(explained(kSpecs, script), "`fused` is given from the setting `use_fusion`"));
}

TEST(ChosenClasses, NothingIsSaidWhereAPlaceIsUnconditionalOrACallerGivesAValueOfItsOwn) {
  const std::string other = kSpecs + "\n\ndef plain_spec():\n    return FusedLayer(4)\n";
  EXPECT_FALSE(says(explained(other), kAny));
  for (const std::string& given : {std::string("fused=True"), std::string("fused=x > 1"), std::string("**dict(x)")}) {
    const std::string more = kMain + "\n\ndef other(x):\n    return block_spec(4, " + given + ")\n";
    const std::string text = explained(kSpecs, more);
    EXPECT_FALSE(says(text, kAny)) << given << text;
  }
  const std::string off = kMain + "\n\ndef other(x):\n    return block_spec(4, fused=False)\n";
  EXPECT_TRUE(says(explained(kSpecs, off), kAny));
}

TEST(ChosenClasses, NothingIsSaidWhereOthersGetHoldOfTheFunctionThatMakesOne) {
  for (const char* code :
       {"import fire\n\n\ndef start():\n    fire.Fire(layer_spec)\n", "MAKERS = {\"layer\": layer_spec}\n",
        "MAKERS = [block_spec]\n", "\n\nclass Maker:\n    make = layer_spec\n",
        "\n\ndef made(name, size):\n    return globals()[name](size, True)\n",
        "import sys\n\n\ndef made(name):\n    return getattr(sys.modules[__name__], name)(2, True)\n",
        "import sys\n\n\ndef made():\n    return getattr(sys.modules[__name__], \"layer_spec\")(2, True)\n",
        "\n\ndef made():\n    return globals()[\"layer_spec\"](2, True)\n"}) {
    EXPECT_FALSE(says(explained(kSpecs + "\n\n" + code), kAny)) << code;
  }
  for (const char* code : {"NAME = layer_spec.__name__\n", "def first(size):\n    return globals()[\"NAME\"]\n",
                           "def is_it(made):\n    return made is layer_spec\n"}) {
    EXPECT_TRUE(says(explained(kSpecs + "\n\n" + code), kAny)) << code;
  }
}

TEST(ChosenClasses, NothingIsSaidWhereTheClassIsLookedUpByAName) {
  const auto with_look_up = [](const std::string& code) {
    return explained(kSpecs, kMain, kLayers, {{"found.py", "import layers\nfrom layers import Layer\n\n\n" + code}});
  };
  for (const char* code :
       {"def made(name):\n    return getattr(layers, name)(2)\n", "def made(name):\n    return vars(layers)[name](2)\n",
        "def made(name):\n    return layers.__dict__[name](2)\n",
        "def made():\n    return [one(2) for one in Layer.__subclasses__()]\n"}) {
    EXPECT_FALSE(says(with_look_up(code), kAny)) << code;
  }
  for (const char* code : {"def made():\n    return getattr(layers, \"Layer\")(2)\n",
                           "def made(config, name):\n    return getattr(config, name)\n",
                           "class Other:\n    pass\n\n\nKNOWN = Other.__subclasses__()\n"}) {
    EXPECT_TRUE(says(with_look_up(code), kAny)) << code;
  }
}

TEST(ChosenClasses, TypesInAnnotationsAndChecksMakeNothing) {
  const std::string more = kSpecs +
                           "\n\ndef is_fused(layer: FusedLayer) -> bool:\n"
                           "    return isinstance(layer, FusedLayer) or type(layer) is FusedLayer\n";
  EXPECT_TRUE(says(explained(more), kAny));
}

/// In a list of classes objects are held against it as well as made of it.
TEST(ChosenClasses, AClassInAListIsNotMadeThere) {
  const auto kinds = [](const std::string& value) {
    return kSpecs + "\n\ndef kinds_of(config):\n    if config.norm == \"fused\":\n        return " + value + "\n";
  };
  EXPECT_FALSE(says(explained(kinds("[Layer, FusedLayer]")), "`config.norm`"))
      << explained(kinds("[Layer, FusedLayer]"));
  EXPECT_TRUE(says(explained(kinds("FusedLayer")), "or where `config.norm` is")) << explained(kinds("FusedLayer"));
}

const std::string kDirect = R"(from layers import FusedLayer, Layer


def block_spec(config, size):
    fuses = config.use_fusion and size > 2
    return FusedLayer(size) if fuses else Layer(size)


def other_spec(config, size):
    if not config.use_fusion:
        return Layer(size)
    return {"layer": FusedLayer}["layer"](size)
)";

const std::string kDirectMain = replace_all(kMain, "block_spec(4, fused=config.use_fusion)()", "block_spec(config, 4)");

TEST(ChosenClasses, AConditionThatAllPlacesShareIsToldOnce) {
  const std::string text = explained(kDirect, kDirectMain);
  EXPECT_TRUE(says(text,
                   "Outside tests, objects of `FusedLayer` are made only where `config.use_fusion` is true "
                   "(`specs.py:6`); 1 more place stands under the same condition; `use_fusion` (`config.py:6`) is "
                   "`False` by default."))
      << text;
}

TEST(ChosenClasses, TwoPlacesWithConditionsOfTheirOwnAreBothTold) {
  const std::string two = replace_all(kDirect, "not config.use_fusion", "config.norm != \"fused\"");
  const std::string text = explained(two, kDirectMain);
  EXPECT_TRUE(says(text,
                   "Outside tests, objects of `FusedLayer` are made only where `config.use_fusion` is true "
                   "(`specs.py:6`), or where `config.norm` is `\"fused\"` (`specs.py:12`); `use_fusion` "
                   "(`config.py:6`) is `False` by default; `norm` (`config.py:7`) is `\"plain\"` by default."))
      << text;
}

TEST(ChosenClasses, OfASettingThatIsDeclaredTwiceTheDefaultIsNotTold) {
  const std::string other =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass OtherConfig:\n"
      "    use_fusion: bool = True\n";
  const std::string text = explained(kDirect, kDirectMain, kLayers, {{"other.py", other}});
  EXPECT_TRUE(says(text, "(`specs.py:6`); 1 more place stands under the same condition.")) << text;
}

TEST(ChosenClasses, SettingsOfOneNameThatTwoClassesDeclareAreToldApart) {
  const auto config = [](const std::string& name, const std::string& value) {
    return "from dataclasses import dataclass\n\n\n@dataclass\nclass " + name + ":\n    use_fusion: bool = " + value +
           "\n";
  };
  const std::string specs =
      "from decoder import DecoderConfig\nfrom encoder import EncoderConfig\nfrom layers import FusedLayer, Layer\n\n\n"
      "def decoder_spec(config: DecoderConfig):\n    return Layer(2) if config.use_fusion else Layer(1)\n\n\n"
      "def block_spec(config: EncoderConfig, size):\n    if config.use_fusion:\n"
      "        return FusedLayer(size)\n    return Layer(size)\n";
  const Files more = {{"decoder.py", config("DecoderConfig", "True")},
                      {"encoder.py", config("EncoderConfig", "False")}};
  const std::string text = explained(specs, kDirectMain, kLayers, more);
  EXPECT_TRUE(says(text, "(`specs.py:12`); `use_fusion` (`encoder.py:6`) is `False` by default.")) << text;
  // A builder that keeps what it is given reads the same setting.
  const std::string kept = replace_all(
      specs,
      "def block_spec(config: EncoderConfig, size):\n    if config.use_fusion:\n"
      "        return FusedLayer(size)\n    return Layer(size)\n",
      "class Builder:\n    def __init__(self, config: EncoderConfig):\n        self.encoder_config = config\n\n"
      "    def build(self, size):\n        if self.encoder_config.use_fusion:\n            return FusedLayer(size)\n"
      "        return Layer(size)\n\n\ndef block_spec(config, size):\n    return Builder(config).build(size)\n");
  const std::string by_builder = explained(kept, kDirectMain, kLayers, more);
  EXPECT_TRUE(says(by_builder, "`use_fusion` (`encoder.py:6`) is `False` by default.")) << by_builder;
  const std::string both = replace_all(specs, "Layer(2) if", "FusedLayer(2) if");
  const std::string apart = explained(both, kDirectMain, kLayers, more);
  EXPECT_FALSE(says(apart, "under the same condition") || says(apart, "is `False` by default")) << apart;
}

TEST(ChosenClasses, AnObjectThatIsMadeInsideAComparisonIsOne) {
  const std::string made = replace_all(kDirectMain, "    config = Config()\n",
                                       "    config = Config()\n    assert FusedLayer(1).forward(1) == 3\n");
  EXPECT_FALSE(says(explained(kDirect, "from layers import FusedLayer\n" + made), kAny));
  const std::string given = replace_all(made, "FusedLayer(1).forward(1) == 3", "isinstance(wrap(FusedLayer(1)), int)");
  EXPECT_FALSE(says(explained(kDirect, "from layers import FusedLayer\n" + given), kAny));
  for (const std::string& check :
       {std::string("type(config) in (int, FusedLayer)"), std::string("FusedLayer is not type(config)"),
        std::string("issubclass(FusedLayer, int)"), std::string("not isinstance(config, (int, FusedLayer))")}) {
    const std::string asked = replace_all(made, "FusedLayer(1).forward(1) == 3", check);
    EXPECT_TRUE(says(explained(kDirect, "from layers import FusedLayer\n" + asked), kAny)) << check;
  }
}

TEST(ChosenClasses, APlaceThatReplacesAnObjectBringsNoFirstOne) {
  const std::string more = kDirect +
                           "\n\ndef widened(layer):\n    if isinstance(layer, FusedLayer):\n"
                           "        return FusedLayer(layer.size * 2)\n    return layer\n";
  EXPECT_TRUE(says(explained(more, kDirectMain), kAny));
  const std::string made = replace_all(more, "isinstance(layer, FusedLayer)", "isinstance(layer, (dict, FusedLayer))");
  EXPECT_FALSE(says(explained(made, kDirectMain), kAny));
}

TEST(ChosenClasses, OfTwoBranchesOneIsAlwaysTaken) {
  const std::string both =
      "from layers import FusedLayer\n\n\ndef block_spec(config, size):\n"
      "    if config.use_fusion:\n        return FusedLayer(size)\n"
      "    return FusedLayer(size + 1)\n";
  EXPECT_FALSE(says(explained(both, kDirectMain), kAny));
}

TEST(ChosenClasses, TheEnvironmentAloneIsNotTold) {
  const std::string specs =
      "from layers import FusedLayer, Layer\n\ntry:\n    import fast\n    HAVE_FAST = True\n"
      "except ImportError:\n    HAVE_FAST = False\n\n\ndef block_spec(config, size):\n"
      "    if HAVE_FAST:\n        return FusedLayer(size)\n    return Layer(size)\n";
  EXPECT_FALSE(says(explained(specs, kDirectMain), kAny));
}

TEST(ChosenClasses, ADecoratorThatKeepsTheClassMayMakeItAnywhere) {
  const std::string layers = "KNOWN = {}\n\n\ndef register(cls):\n    KNOWN[cls.__name__] = cls\n    return cls\n\n\n" +
                             replace_all(kLayers, "class FusedLayer", "@register\nclass FusedLayer");
  EXPECT_FALSE(says(explained(kDirect, kDirectMain, layers), kAny));
}

TEST(ChosenClasses, ClassesThatConfigurationsNameMayBeMadeAnywhere) {
  const std::string make =
      "from importlib import import_module\n\n\ndef make(path, name):\n    return getattr(import_module(path), name)\n";
  const std::string load =
      "from importlib import import_module\n\n\ndef load(path):\n    return import_module(path).run\n";
  const std::string other = "import hydra\n\n\ndef make(config):\n    return hydra.utils.instantiate(config)\n";
  const auto is_chosen = [&](const std::string& maker, const std::string& name, bool with_files) {
    const Files files = {{"config.py", kConfig}, {"layers.py", kLayers},
                         {"specs.py", kDirect},  {"train.py", kDirectMain},
                         {"maker.py", maker},    {"model.yaml", "layer:\n  _target_: layers." + name + "\n"}};
    const auto fixture = make_fixture(files, files, "Change it");
    report::ChosenClasses chosen(fixture->after, with_files ? &fixture->after_files : nullptr);
    return chosen.of(fixture->after.find_class("layers.FusedLayer")).has_value();
  };
  for (const std::string& maker : {make, other}) {
    EXPECT_FALSE(is_chosen(maker, "FusedLayer", true)) << maker;
    EXPECT_TRUE(is_chosen(maker, "Layer", true)) << maker;
  }
  EXPECT_TRUE(is_chosen(load, "FusedLayer", true));
  // Where files are not known, only a library that is there for such names says that there may be some.
  EXPECT_FALSE(is_chosen(other, "Layer", false));
  EXPECT_TRUE(is_chosen(make, "FusedLayer", false));
}

const std::string kRunner = R"(from layers import work


class Runner:
    def __init__(self, function):
        self.function = function

    def __call__(self, x):
        return work(x)


def plain(x):
    return first(x)


def first(x):
    return second(x)


def second(x):
    return third(x)


def third(x):
    return fourth(x)


def fourth(x):
    return work(x)


def block_spec(config, size):
    call = plain
    if config.use_fusion:
        call = Runner(call)
    return finish(call, size)


def finish(call, size):
    return call(size)
)";

TEST(ChosenClasses, AWayThroughACallableThatASettingBringsComesAfterOneThatNeedsNone) {
  const std::string layers = "def work(x):\n    y = x + 1\n    return y\n";
  const std::string script = replace_all(kDirectMain, "    return layer.forward(x)\n", "    return layer\n");
  const std::string text = explained(kRunner, script, layers);
  EXPECT_FALSE(says(text, "\u2192 `Runner.__call__`")) << text;
  EXPECT_TRUE(says(text, "`fourth` (`specs.py:")) << text;
  const std::string always = replace_all(kRunner, "    if config.use_fusion:\n        call = Runner(call)\n",
                                         "    if size > 1:\n        call = Runner(call)\n");
  EXPECT_TRUE(says(explained(always, script, layers), "`Runner.__call__`"));
}

/// Who sets or reads a variable of the class makes no object of it.
TEST(ChosenClasses, VariablesOfTheClassBringNoObject) {
  const std::string layers = kLayers + "\n\nFusedLayer.pool = None\n";
  const std::string now = std::string(layers).replace(layers.find("y = x + 1"), 9, "y = x + 2");
  const Files same = {{"config.py", kConfig}, {"specs.py", kSpecs}, {"main.py", kMain}};
  Files before = same, after = same;
  before["layers.py"] = layers;
  after["layers.py"] = now;
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "objects of `FusedLayer` are made only where")) << text;
}

}  // namespace
}  // namespace lockstep::render
