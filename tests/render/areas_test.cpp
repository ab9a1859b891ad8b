// Large changes are told in parts: folders that belong together, the one with most of the code cut further.
#include <gtest/gtest.h>

#include <string>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// Two sides of sixteen files: `core/` has `lines` edits in each of two folders below it and one file of its own, and
/// thirteen files stand elsewhere.
std::pair<Files, Files> large(std::size_t edits) {
  Files before;
  Files after;
  const auto add = [&](const std::string& path, std::size_t count) {
    std::string old_text;
    std::string new_text;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string head = "def f" + std::to_string(i) + "(x):\n    return x + ";
      old_text += head + "1\n\n\n";
      new_text += head + "2\n\n\n";
    }
    before.emplace(path, old_text);
    after.emplace(path, new_text);
  };
  add("core/engine/step.py", edits);
  add("core/context/state.py", edits);
  add("core/config.py", 1);
  for (int i = 0; i < 13; ++i) add("other/part" + std::to_string(i) + "/x.py", 1);
  return {before, after};
}

TEST(Areas, WhatHoldsMostOfTheCodeIsCutFurther) {
  const auto [before, after] = large(20);
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "The change in parts, the weightiest first:")) << text;
  EXPECT_TRUE(says(text, "- `core/engine/` (1 file,")) << text;
  EXPECT_TRUE(says(text, "- `core/context/` (1 file,")) << text;
  EXPECT_TRUE(says(text, "- `other/` (13 files,")) << text;
}

TEST(Areas, AFewFoldersMoreAreNoReasonToCutAFolderOfManySmallFiles) {
  // Each file of `other/` in a folder of its own would be more parts than a reader takes in.
  Files before;
  Files after;
  for (int i = 0; i < 16; ++i) {
    const std::string path = "other/part" + std::to_string(i) + "/x.py";
    before.emplace(path, "def f(x):\n    return x + 1\n");
    after.emplace(path, "def f(x):\n    return x + 2\n");
  }
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "- `other/` (16 files,")) << text;
  EXPECT_FALSE(says(text, "- `other/part1/`")) << text;
}

}  // namespace
}  // namespace lockstep::render
