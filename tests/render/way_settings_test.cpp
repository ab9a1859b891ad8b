// Ways and settings: no way is told that asks for one both on and off, and a script that can be given an option which
// the way needs comes before one that cannot.
#include <gtest/gtest.h>

#include <map>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string explained(const Files& files) { return explain_of(files, with_edit(files, "core.py", "x + 1", "x + 2")); }

const std::string kMain =
    "from core import run\n\n\ndef main(args):\n    for step in range(3):\n        run(args, step)\n\n\n"
    "if __name__ == '__main__':\n    main(object())\n";

const std::string kOverlap = R"(def overlaps(args):
    """Whether it does."""
    mode = args.mode
    return mode and not args.plain and args.overlap


def finish(x):
    y = x + 1
    return y


def sync(config, x):
    if config.overlap:
        return x
    return finish(x)


def near(args, x):
    if overlaps(args):
        return sync(args, x)
    return x


def far(args, x):
    return farther(args, x)


def farther(args, x):
    return farthest(args, x)


def farthest(args, x):
    return sync(args, x)


def run(args, x):
    near(args, x)
    return far(args, x)
)";

std::string way_of(const std::string& old_text, const std::string& new_text) {
  return explained({{"core.py", replace_all(kOverlap, old_text, new_text)}, {"train.py", kMain}});
}

TEST(WaySettings, AWayThatAsksForASettingBothOnAndOffIsNotToldWhereThereIsAnother) {
  const std::string text = way_of("", "");
  EXPECT_TRUE(says(text, "`sync` (`core.py:12`) → `finish`")) << text;
  EXPECT_FALSE(says(text, "→ `near`")) << text;
  EXPECT_FALSE(says(way_of("    if overlaps(args):", "    if args.plain or args.overlap is None:"), "`far`"));
  EXPECT_FALSE(says(way_of("    if overlaps(args):", "    if args.overlap is not None:"), "`far`"));
  const std::string in_target = way_of("    y = x + 1\n", "    if config.overlap:\n        return x\n    y = x + 1\n");
  EXPECT_FALSE(says(in_target, "→ `near`")) << in_target;
}

TEST(WaySettings, WhatDoesNotSurelyAskForBothContradictsNothing) {
  for (const auto& [old_text, new_text] : std::map<std::string, std::string>{
           {"return mode and not args.plain and", "return mode or not args.plain or"},
           {"    mode = args.mode\n", "    mode = args.mode\n    if mode > 3:\n        return True\n"},
           {"    if overlaps(args):\n", "    if overlaps(args):\n        args.overlap = False\n"},
           {"if config.overlap:", "if config.plain:"},
           {"if config.overlap:", "if x.overlap:"}}) {
    const std::string text = way_of(old_text, new_text);
    EXPECT_TRUE(says(text, "`near` (`core.py:")) << new_text << text;
  }
}

TEST(WaySettings, AWayThatContradictsItselfIsToldWhereThereIsNoOther) {
  std::string core = replace_all(kOverlap, "    return far(args, x)\n", "");
  core = replace_all(core, core.substr(core.find("def far("), core.find("def run(") - core.find("def far(")), "");
  const std::string text = explained({{"core.py", core}, {"train.py", kMain}});
  EXPECT_TRUE(says(text, "`near` (`core.py:")) << text;
}

const std::string kHook = R"(from dataclasses import dataclass


class Model:
    def start_sync(self, x):
        return self.config.overlap or finish(x)


def finish(x):
    y = x + 1
    return y


@dataclass
class Config:
    hook: object = None


def forward(config: Config, x):
    config.hook(x)


def far(model: Model, x):
    return farther(model, x)


def farther(model: Model, x):
    return farthest(model, x)


def farthest(model: Model, x):
    return model.start_sync(x)


def run(args, x):
    config = Config()
    model = Model()
    if args.overlap:
        config.hook = model.start_sync
    forward(config, x)
    return far(model, x)
)";

TEST(WaySettings, WhatASettingHoldsIsEnteredOnlyWhereItWasStored) {
  const std::string text = explained({{"core.py", kHook}, {"train.py", kMain}});
  EXPECT_TRUE(says(text, "`Model.start_sync` (`core.py:5`) → `finish`")) << text;
  EXPECT_FALSE(says(text, "`forward` (`core.py")) << text;
  const std::string other =
      explained({{"core.py", replace_all(kHook, "if args.overlap:", "if args.early:")}, {"train.py", kMain}});
  EXPECT_TRUE(says(other, "`forward` (`core.py")) << other;
}

const std::string kSave = R"(def keep(x, path):
    if x is None or path is None or path == "":
        return x
    y = x + 1
    return y


def run(args, x):
    return save(args, x)


def save(args, x):
    return keep(x, getattr(args, "keep_state", None))
)";

const std::string kOptions = "def add_options(parser):\n    parser.add_argument(\"--keep-state\", default=None)\n";

Files saving(const std::string& core) {
  return {{"core.py", core},
          {"train.py", kMain},
          {"examples/images/options.py", kOptions},
          {"examples/images/train.py", "from options import add_options\n" + kMain}};
}

TEST(WaySettings, AScriptThatCanBeGivenTheOptionComesBeforeOneThatCannot) {
  const std::string text = explained(saving(kSave));
  EXPECT_TRUE(says(text, "reach `keep`: `examples/images/train.py` → ")) << text;
  const std::string around =
      explained(saving(replace_all(kSave, "    return keep(x, getattr(args, \"keep_state\", None))",
                                   "    if args.keep_state:\n        return keep(x, x)\n    return x")));
  EXPECT_TRUE(says(around, "reach `keep`: `examples/images/train.py` → ")) << around;
}

TEST(WaySettings, AnOptionThatEveryScriptOrNoneCanBeGivenChoosesNone) {
  const auto tells_train = [](const Files& files) {
    const std::string text = explained(files);
    EXPECT_TRUE(says(text, "reach `keep`: `train.py` → ")) << text;
  };
  tells_train(saving(replace_all(kSave, "None))", "\"here\"))")));
  tells_train(saving(kSave + "\n\n" + kOptions));
  tells_train(saving(kSave + "\n\nclass Options:\n    keep_state: str = None\n"));
  tells_train(saving(replace_all(kSave, "def save(args, x):\n", "def save(args, x):\n    args.keep_state = str(x)\n")));
  tells_train(saving(replace_all(kSave, "path is None or path ==", "path ==")));
  Files files = saving(kSave);
  files["examples/images/train.py"] = kMain;
  tells_train(files);
  files.erase("examples/images/options.py");
  tells_train(files);
  files["tests/options.py"] = kOptions;
  tells_train(files);
}

/// A part of a configuration that code puts in, or not, is no setting that is off by default.
TEST(WaySettings, APartThatSomeConfigurationsHaveIsNoDefault) {
  const auto text_with = [](const std::string& made) {
    const Files before = {
        {"config.py",
         "from dataclasses import dataclass\n\n\n@dataclass\nclass MoEConfig:\n    size: int = 1\n\n\n@dataclass\n"
         "class LayerConfig:\n    moe: MoEConfig | None = None\n"},
        {"layer.py", "def set_moe(cfg):\n    return cfg.size + 1\n"},
        {"train.py",
         "from config import LayerConfig, MoEConfig\nfrom layer import set_moe\n\n\ndef main():\n    layer_cfg = " +
             made +
             "\n    if layer_cfg.moe is not None:\n        set_moe(layer_cfg.moe)\n\n\nif __name__ == '__main__':\n"
             "    main()\n"}};
    return explain_of(before, with_edit(before, "layer.py", "+ 1", "+ 2"));
  };
  const std::string put_in = text_with("LayerConfig(moe=MoEConfig(size=2))");
  EXPECT_TRUE(says(put_in, "`layer_cfg.moe` is not `None`")) << put_in;
  EXPECT_FALSE(says(put_in, "does not hold by default")) << put_in;
  const std::string left_out = text_with("LayerConfig()");
  EXPECT_TRUE(says(left_out, "does not hold by default")) << left_out;
}

/// Of a long condition the part that asks for the setting is shown.
TEST(WaySettings, ALongConditionIsToldByThePartThatAsksForTheSetting) {
  const std::string before = R"(class Config:
    variant: str = None


def pad(x, packed, config: Config):
    if packed is not None and packed.layout_of_the_sequences == "thd" and x is not None and x.ndim != 3 and config.variant is None:
        x = x + 1
    return x
)";
  const std::string text =
      explain_of({{"a.py", before}}, with_edit({{"a.py", before}}, "a.py", "x = x + 1", "x = x + 2"));
  EXPECT_TRUE(says(text, "In the condition: `config.variant` is `None`")) << text;
}

/// `--no-x` with `dest="x"`: runs that say nothing get True, whatever the class declares.
TEST(WaySettings, AnArgumentOfAnotherNameGivesTheSetting) {
  const std::string options =
      "import argparse\nfrom dataclasses import dataclass\n\n\n@dataclass\nclass ModelConfig:\n    fused: bool = "
      "False\n"
      "\n\ndef parse():\n    parser = argparse.ArgumentParser()\n"
      "    parser.add_argument(\"--no-fusion\", action=\"store_false\", dest=\"fused\")\n    return "
      "parser.parse_args()\n";
  const std::string core =
      "def plain(x):\n    return x + 1\n\n\ndef run(config, step):\n    if config.fused:\n        return step\n"
      "    return plain(step)\n";
  const std::string text = explained({{"options.py", options}, {"core.py", core}, {"train.py", kMain}});
  EXPECT_TRUE(says(text,
                   "- `fused` (`options.py:7`), argument `--no-fusion` makes it `False`, default `False`, but `True` "
                   "where the argument is not given. In the condition: `config.fused` is not set (does not hold by "
                   "default)."))
      << text;
}

/// A return before all that changes closes it: that comes before what only chooses a value there.
TEST(WaySettings, WhatAReturnBeforeAllOfItAsksForComesFirst) {
  const std::string body =
      "def collect(config, parts):\n    if not config.replay:\n        return None\n    out = {}\n"
      "    for part in parts:\n        out[part.key] = part.split()\n    return out\n\n\n"
      "def finish(config, request, parts=None):\n    request.close()\n    if parts is not None and request.key in "
      "parts:\n"
      "        request.index = parts[request.key]\n        request.count = 1\n    return request\n\n\n"
      "def run(config, x):\n    parts = collect(config, x)\n    return finish(config, x, parts)\n";
  const std::string now = replace_all(
      replace_all(body, "    out = {}\n    for part in parts:\n        out[part.key] = part.split()\n    return out\n",
                  "    kind = int16 if config.experts <= 32768 else int32\n    return parts.flat().astype(kind)\n"),
      "        request.count = 1\n", "        request.count = len(parts)\n        request.done = True\n");
  Files before = {{"config.py",
                   "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n"
                   "    experts: int = 8\n    replay: bool = False\n"},
                  {"train.py", replace_all(kMain, "args", "config")},
                  {"core.py", body}};
  Files after = before;
  after["core.py"] = now;
  const std::string text = explain_of(before, after);
  const std::size_t replay = text.find("- `replay` ("), experts = text.find("- `experts` (");
  EXPECT_NE(replay, std::string::npos) << text;
  EXPECT_LT(replay, experts) << text;
  EXPECT_TRUE(says(text, "`config.replay` is set (does not hold by default)")) << text;
}

}  // namespace
}  // namespace lockstep::render
