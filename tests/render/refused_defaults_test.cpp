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

}  // namespace
}  // namespace lockstep::render
