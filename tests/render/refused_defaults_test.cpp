// New assertions of a configuration that its own defaults fail.
#include <gtest/gtest.h>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

Files config(std::string_view checks, std::string_view version = "None") {
  return {{"config.py",
           "from dataclasses import dataclass\n\n\n@dataclass\nclass TrainConfig:\n    invariant: bool = False\n"
           "    flash_version: int = " +
               std::string(version) +
               "\n    dropout: float = 0.1\n\n    def __post_init__(self):\n"
               "        if self.invariant:\n            print(self.invariant)\n" +
               std::string(checks)}};
}

TEST(RefusedDefaults, ADefaultThatANewAssertionRefusesIsTold) {
  const std::string text =
      explain_of(config(""), config("            assert self.flash_version in (3, 4), \"needs 3 or 4\"\n"
                                    "            assert self.dropout == 0.0\n"));
  EXPECT_TRUE(says(text,
                   "Where `invariant` is set, the default of `flash_version` (`None`) is refused now "
                   "(`config.py:13`)."))
      << text;
  EXPECT_TRUE(says(text, "Whoever sets `invariant` has to set `flash_version`, too")) << text;
  EXPECT_TRUE(says(text, "the default of `dropout` (`0.1`) is refused now (`config.py:14`)")) << text;
}

TEST(RefusedDefaults, WhatTheDefaultPassesOrNothingSwitchesIsNone) {
  const std::string check = "            assert self.flash_version in (3, 4), \"needs 3 or 4\"\n";
  EXPECT_FALSE(says(explain_of(config("", "3"), config(check, "3")), "the default of"));
  // It stood there.
  EXPECT_FALSE(says(explain_of(config(check), config(check + "            print(1)\n")), "the default of"));
  // Only who sets it is asked what to.
  EXPECT_FALSE(says(explain_of(config(""), config("        if self.flash_version is not None:\n"
                                                  "            assert self.flash_version in (3, 4)\n")),
                    "the default of"));
  // Nobody can leave it as it is, whatever else is set.
  EXPECT_FALSE(says(explain_of(config(""), config("        assert self.flash_version in (3, 4)\n")), "the default of"));
}

/// Whether the change that brings `checks` to a configuration is told of a refused default. `fields`, `init` and
/// `others` stand there before and after.
bool tells(std::string_view checks, std::string_view fields = "", std::string_view init = "",
           const Files& others = {}) {
  const auto with = [&](std::string_view behind) {
    Files files = others;
    files["config.py"] =
        "from dataclasses import dataclass\n\n\n@dataclass\nclass TrainConfig:\n"
        "    invariant: bool = False\n    fused: bool = True\n    mode: str = \"a\"\n"
        "    level: int = 0\n" +
        std::string(fields) + "\n    def __post_init__(self):\n        print(self.mode)\n" + std::string(init) +
        std::string(behind);
    return files;
  };
  return says(explain_of(with(""), with(checks)), "the default of `level` (`0`) is refused now");
}

TEST(RefusedDefaults, OnlyWhatASettingSwitchesByItselfIsTold) {
  const std::string check = "            assert self.level > 1\n";
  EXPECT_TRUE(tells("        if self.invariant:\n" + check));
  EXPECT_TRUE(tells("        if self.invariant and self.fused:\n" + check));
  EXPECT_FALSE(tells("        if not self.fused:\n" + check));
  EXPECT_FALSE(tells("        if self.mode == \"b\" or self.invariant:\n" + check));
  EXPECT_FALSE(tells("        if self.mode == \"b\":\n" + check));
  EXPECT_FALSE(tells("        if self.invariant:\n            print(1)\n        else:\n" + check));
  EXPECT_FALSE(tells("        if not self.fused:\n            return\n        if self.invariant:\n" + check));
  EXPECT_FALSE(
      tells("        if self.invariant:\n            for _ in self.mode:\n                assert self.level > 1\n"));
}

TEST(RefusedDefaults, WhatMayHaveAnotherValueByItselfIsNone) {
  const std::string check = "        if self.invariant:\n            assert self.level > 1\n";
  EXPECT_FALSE(tells(check, "", "        if self.fused:\n            self.level = 2\n"));
  EXPECT_FALSE(tells(check, "", "        object.__setattr__(self, \"level\", 2)\n"));
  const auto script = [](std::string_view given) {
    return Files{{"run.py",
                  "import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument(\"--level\", "
                  "type=int, default=" +
                      std::string(given) + ")\n"}};
  };
  EXPECT_FALSE(tells(check, "", "", script("2")));
  EXPECT_TRUE(tells(check, "", "", script("0")));
  // Another class of the name has another default.
  const Files other = {{"other.py",
                        "from dataclasses import dataclass\n\n\n@dataclass\nclass WideConfig:\n    level: int "
                        "= 4\n    a: int = 1\n    b: int = 1\n    c: int = 1\n    d: int = 1\n    e: int = 1\n"}};
  EXPECT_TRUE(tells(check, "", "", other));
}

/// A branch that raised refused it, too.
TEST(RefusedDefaults, WhatWasRefusedBeforeIsNoNews) {
  const Files before =
      config("            if self.flash_version not in (3, 4):\n                raise ValueError(\"no\")\n");
  EXPECT_FALSE(says(explain_of(before, config("            assert self.flash_version in (3, 4)\n")), "the default of"));
}

}  // namespace
}  // namespace lockstep::render
