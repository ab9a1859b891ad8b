// Settings that conditions ask for through values which are there only where they are set, and the class that a script
// chooses for the object on which a way goes on.
#include <gtest/gtest.h>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kConfig = R"(from dataclasses import dataclass


@dataclass
class ModelConfig:
    mtp_num_layers: int = None
    """How many layers predict further tokens."""
    context_parallel_size: int = 1
    """Over how many ranks a sequence is split."""
)";

const std::string kModel = R"(class Model:
    def __init__(self, config, block=None, groups=None):
        self.config = config
        self.process = block is not None and config is not None
        self.cp_size = groups.cp.size()

    def forward(self, x):
        if self.process:
            x = self.further(x)
        if self.cp_size > 1:
            x = self.gathered(x)
        return x

    def further(self, x):
        return x + 1

    def gathered(self, x):
        return x + 3
)";

std::string script(const std::string& making) {
  return "from config import ModelConfig\nfrom model import Model\n\n\ndef main(groups):\n    config = "
         "ModelConfig()\n" +
         making +
         "    model = Model(config, block, groups)\n    for x in range(3):\n        model.forward(x)\n\n\nif __name__ "
         "== "
         "'__main__':\n    main(None)\n";
}

std::string explained(const std::string& making, const std::string& old_text = "x + 1",
                      const std::string& new_text = "x + 2") {
  const Files files = {{"config.py", kConfig}, {"model.py", kModel}, {"train.py", script(making)}};
  return explain_of(files, with_edit(files, "model.py", old_text, new_text));
}

TEST(SettingsBehind, WhatAValueIsMadeUnderIsAskedForWithIt) {
  const std::string text =
      explained("    block = None\n    if config.mtp_num_layers is not None:\n        block = object()\n");
  EXPECT_TRUE(says(text,
                   "- `mtp_num_layers` (`config.py:6`), default `None`. “How many layers predict further "
                   "tokens.” That `self.process` is set depends on it."))
      << text;
}

TEST(SettingsBehind, WhatIsGivenInAnyCaseAsksForNothing) {
  for (const std::string& making :
       {std::string("    block = object()\n"),
        std::string("    block = object()\n    if config.mtp_num_layers is not None:\n        block = object()\n"),
        std::string("    block = None\n    if config.mtp_num_layers is None:\n        pass\n    block = object()\n"),
        std::string("    for block in [object()]:\n        pass\n")}) {
    const std::string text = explained(making);
    EXPECT_TRUE(says(text, "Runs reach `Model.further`")) << text;
    EXPECT_FALSE(says(text, "depends on it")) << making << text;
  }
}

TEST(SettingsBehind, TheSizeOfAGroupIsASetting) {
  const std::string text = explained("    block = None\n", "x + 3", "x + 4");
  EXPECT_TRUE(says(text,
                   "- `context_parallel_size` (`config.py:8`), default `1`. “Over how many ranks a sequence is "
                   "split.” That `self.cp_size` is more than `1` depends on it."))
      << text;
}

TEST(SettingsBehind, AClassThatAScriptChoosesForTheObject) {
  const auto text_of = [](const std::string& other) {
    const std::string core =
        "class Plain:\n    def run(self, x):\n        return x\n\n\n"
        "class Fast:\n    def run(self, x):\n        return x + 1\n";
    const std::string main =
        "import argparse\n\nfrom core import Fast, Plain\n\n\ndef make(args):\n    if args.engine == \"plain\":\n      "
        "  "
        "return " +
        other +
        "()\n    elif args.engine == \"fast\":\n        return Fast()\n\n\ndef main():\n    parser = "
        "argparse.ArgumentParser()\n    parser.add_argument(\"--engine\", default=\"plain\", help=\"What runs it.\")\n"
        "    args = parser.parse_args()\n    engine = make(args)\n    engine.run(1)\n\n\nif __name__ == '__main__':\n  "
        "  "
        "main()\n";
    const Files files = {{"core.py", core}, {"serve.py", main}};
    return explain_of(files, with_edit(files, "core.py", "x + 1", "x + 2"));
  };
  const std::string text = text_of("Plain");
  EXPECT_TRUE(says(text, "This way is taken when `args.engine` is `\"fast\"` (`serve.py:")) << text;
  EXPECT_TRUE(says(text, "In the condition: `args.engine` is `\"fast\"` (does not hold by default).")) << text;
  EXPECT_FALSE(says(text_of("Fast"), "args.engine")) << text_of("Fast");
}

TEST(SettingsBehind, AVariableThatAnotherFunctionSetsFromASetting) {
  const auto told = [](const std::string& setting, const std::string& getter) {
    const std::string core =
        "_mode = \"plain\"\n\n\ndef set_mode(mode):\n    global _mode\n    _mode = mode\n\n\ndef get_mode():\n" +
        getter + "\n\ndef run(x):\n    if get_mode() == \"fast\":\n        x = x + 1\n    return x\n";
    const std::string config =
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    mode: str = \"plain\"\n";
    const Files files = {
        {"config.py", config},
        {"core.py", core},
        {"train.py",
         "from config import Config\nfrom core import run, set_mode\n\n\ndef main(mode):\n    config = "
         "Config()\n    set_mode(" +
             setting + ")\n    for x in range(3):\n        run(x)\n\n\nif __name__ == '__main__':\n    main(None)\n"}};
    return explain_of(files, with_edit(files, "core.py", "x + 1", "x + 2"));
  };
  const std::string plain = "    return _mode\n";
  const std::string text = told("config.mode", plain);
  EXPECT_TRUE(
      says(text, "- `mode` (`config.py:6`), default `\"plain\"`. That `get_mode()` is `\"fast\"` depends on it."))
      << text;
  // What somebody gives who is no setting, and what is worked out from it.
  EXPECT_FALSE(says(told("mode", plain), "depends on it"));
  EXPECT_FALSE(says(told("config.mode", "    return _mode + \"s\"\n"), "depends on it"));
}

TEST(SettingsBehind, WhatACallMakesOfASettingAndOtherThingsIsNotAskedForByIt) {
  const auto told = [](const std::string& value) {
    const std::string core =
        "def ready(count):\n    return count is not None\n\n\ndef run(config, step, x):\n    losses = " + value +
        "\n    if losses:\n        x = x + 1\n    return x\n";
    const Files files = {{"config.py", kConfig},
                         {"core.py", core},
                         {"train.py",
                          "from config import ModelConfig\nfrom core import run\n\n\ndef main(step):\n    for x in "
                          "range(3):\n        run(ModelConfig(), step, x)\n\n\nif __name__ == '__main__':\n    "
                          "main(None)\n"}};
    return explain_of(files, with_edit(files, "core.py", "x + 1", "x + 2"));
  };
  for (const char* value : {"step(x, layers=config.mtp_num_layers)", "step.run(config.mtp_num_layers)",
                            "make(x, config.mtp_num_layers)[0]", "len(step(x, layers=config.mtp_num_layers))"})
    EXPECT_FALSE(says(told(value), "mtp_num_layers` (`")) << told(value);
  for (const char* value : {"config.mtp_num_layers", "bool(config.mtp_num_layers)", "ready(config.mtp_num_layers)",
                            "config.mtp_num_layers and step(x)"})
    EXPECT_TRUE(says(told(value), "mtp_num_layers` (`config.py:6`)")) << told(value);
}

}  // namespace
}  // namespace lockstep::render
