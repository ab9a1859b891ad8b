// Settings that changed lines give a value.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

TEST(WrittenSettings, ASettingThatChangedLinesSetIsToldWithItsDefault) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass ModelConfig:\n    overlap_gather: bool = True\n"
      "    size: int = 8\n";
  const std::string was = "def prepare(config, state):\n    state.ready = 1\n    return config\n";
  const auto text_of = [&](const std::string& line) {
    return explain_of(
        {{"config.py", config}, {"a.py", was}},
        {{"config.py", config}, {"a.py", replace_all(was, "    return", "    " + line + "\n    return")}});
  };
  const std::string text = text_of("config.overlap_gather = False");
  EXPECT_TRUE(says(text, "Settings that changed lines set:") &&
              says(text, "`overlap_gather` (`config.py:6`), default `True`: set to `False` in `prepare` (`a.py:3`)."))
      << text;
  // With who reads it, but for who sets it.
  const std::string reader = "def gather(config):\n    return 1 if config.overlap_gather else 2\n";
  const std::string read =
      explain_of({{"config.py", config}, {"a.py", was}, {"b.py", reader}},
                 {{"config.py", config},
                  {"a.py", replace_all(was, "    return", "    config.overlap_gather = False\n    return")},
                  {"b.py", reader}});
  EXPECT_TRUE(says(read, "in `prepare` (`a.py:3`). Its name is read at least in `gather`.")) << read;
  EXPECT_FALSE(says(text, "is read at least in")) << text;
  // What no class or script declares is no setting, and neither is what another object has.
  for (const std::string& line :
       {std::string("config.unknown = False"), std::string("state.size = 3"), std::string("size = config.size")}) {
    EXPECT_FALSE(says(text_of(line), "Settings that changed lines set")) << text_of(line);
  }
}

TEST(WrittenSettings, WhatIsSetOnACopyIsToldAsThat) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass ModelConfig:\n    overlap_gather: bool = True\n";
  const auto text_of = [&](const std::string& made) {
    const std::string was = "import copy\n\n\ndef prepare(config, state):\n    " + made + "\n    return own_config\n";
    return explain_of({{"config.py", config}, {"a.py", was}},
                      {{"config.py", config},
                       {"a.py", replace_all(was, "    return", "    own_config.overlap_gather = False\n    return")}});
  };
  const std::string copied = text_of("own_config = copy.copy(config)");
  EXPECT_TRUE(says(copied, "set to `False` on a copy of the configuration alone, in `prepare` (`a.py:6`).")) << copied;
  for (const std::string& made : {std::string("own_config = config"), std::string("own_config = state.copy()"),
                                  std::string("if state:\n        own_config = copy.copy(config)"),
                                  std::string("own_config = copy.copy(config)\n    own_config = config")})
    EXPECT_FALSE(says(text_of(made), "on a copy")) << text_of(made);
}

// `setattr` with a text, and with each of the texts that a loop goes over.
TEST(WrittenSettings, SettingsAreSetByTheirNamesToo) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass ModelConfig:\n    overlap_gather: bool = True\n"
      "    wide_sum: bool = True\n";
  const std::string was = "def prepare(config, names):\n    return config\n";
  const auto text_of = [&](const std::string& lines) {
    return explain_of({{"config.py", config}, {"a.py", was}},
                      {{"config.py", config}, {"a.py", replace_all(was, "    return", lines + "    return")}});
  };
  const std::string both = text_of(
      "    for name in ('overlap_gather', 'wide_sum'):\n        if getattr(config, name, False):\n"
      "            setattr(config, name, False)\n");
  for (const char* told : {"`overlap_gather` (`config.py:6`), default `True`: set to `False` in `prepare`",
                           "`wide_sum` (`config.py:7`), default `True`: set to `False` in `prepare`"})
    EXPECT_TRUE(says(both, told)) << both;
  EXPECT_TRUE(
      says(text_of("    setattr(config, 'wide_sum', False)\n"), "`wide_sum` (`config.py:7`), default `True`: set"));
  EXPECT_FALSE(
      says(text_of("    for name in names:\n        setattr(config, name, False)\n"), "Settings that changed"));
}

}  // namespace
}  // namespace lockstep::render
