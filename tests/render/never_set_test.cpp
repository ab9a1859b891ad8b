// Changed code under a setting that nothing else names.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string lib(const std::string& value, const std::string& scale) {
  return "def configure(args, model):\n"
         "    correct = " +
         value +
         "\n\n"
         "    def finalize(x):\n"
         "        y = 1\n"
         "        if correct and x is not None:\n"
         "            y = y * " +
         scale + "\n        return y\n\n    model.finalize = finalize\n";
}

std::string text_with(const std::string& value, const Files& more = {}) {
  Files before = more;
  Files after = more;
  before["a.py"] = lib(value, "2");
  after["a.py"] = lib(value, "model.count(x)");
  return explain_of(before, after);
}

TEST(NeverSet, WhatRunsOnlyWithASettingThatNothingElseNamesIsARisk) {
  const std::string told =
      "Part of what changes in `configure.finalize` runs only where `correct_partial` is set (read by `getattr(args, "
      "\"correct_partial\", False)`, `a.py:2`), and no other Python code outside tests, configuration or script of the "
      "repository names it.";
  const std::string read = "bool(getattr(args, \"correct_partial\", False))";
  const std::string text = text_with(read);
  EXPECT_TRUE(says(text, told)) << text;
  // Somebody sets it, or it is on where nobody does.
  EXPECT_FALSE(says(text_with(read, {{"b.py", "def g(args):\n    args.correct_partial = True\n"}}), "Part of what"));
  EXPECT_FALSE(says(text_with("getattr(args, \"correct_partial\", True)"), "Part of what"));
  EXPECT_FALSE(says(text_with("args.correct_partial"), "Part of what"));
}

}  // namespace
}  // namespace lockstep::render
