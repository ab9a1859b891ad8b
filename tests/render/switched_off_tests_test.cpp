// Tests that a change edits only to keep out what it brings.
#include <gtest/gtest.h>

#include <string>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kConfig =
    "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    save_assets: bool = True\n"
    "    rate: int = 1\n\n\ndef get_args():\n    return Config()\n";

std::string save(const std::string& condition) {
  return "from config import get_args\n\n\ndef save(files):\n    args = get_args()\n    total = len(files)\n" +
         (condition.empty() ? "" : "    if " + condition + ":\n        total += store(files)\n") + "    return total\n";
}

std::string test_of(const std::string& lines) {
  return "import save\n\n\ndef test_save(args, monkeypatch):\n" + lines + "    assert save.save([1]) == 1\n";
}

std::string told(const std::string& condition, const std::string& set, const std::string& more = "") {
  return explain_of(
      {{"config.py", kConfig}, {"save.py", save("")}, {"tests/test_save.py", test_of("")}, {"tests/more.py", more}},
      {{"config.py", kConfig},
       {"save.py", save(condition)},
       {"tests/test_save.py", test_of(set)},
       {"tests/more.py", more}});
}

const std::string kOn = "Which test runs what `save_assets` switches on in `save`? Open: ";

TEST(SwitchedOffTests, EditedTestsThatKeepTheChangeOutAreTold) {
  const std::string text = told("args.save_assets and files", "    args.save_assets = False\n");
  EXPECT_TRUE(says(text, kOn +
                             "the test code that the change edits sets it to `False`, and none was found that sets it "
                             "otherwise."))
      << text;
  EXPECT_FALSE(says(text, "No gap was recognized")) << text;
  for (const char* set : {"    args = dict(save_assets=False)\n", "    setattr(args, \"save_assets\", None)\n"})
    EXPECT_TRUE(says(told("args.save_assets", set), kOn)) << set;
  EXPECT_TRUE(says(told("not args.save_assets", "    args.save_assets = True\n"),
                   "Which test runs what `save_assets` switches off in `save`?"));
  // What only reads the setting, or shares its name, sets nothing.
  for (const char* more :
       {"def f(args):\n    return args.save_assets\n", "from lib import save_assets\n", "# save_assets = True\n"})
    EXPECT_TRUE(says(told("args.save_assets", "    args.save_assets = False\n", more), kOn)) << more;
}

TEST(SwitchedOffTests, WhatSomeTestSetsOtherwiseIsNoGap) {
  // The tests do not touch it, or switch it on.
  EXPECT_FALSE(says(told("args.save_assets", "    args.rate = 3\n"), kOn));
  EXPECT_FALSE(says(told("args.save_assets", "    args.save_assets = True\n"), kOn));
  EXPECT_FALSE(says(told("not args.save_assets", "    args.save_assets = False\n"), "switches off in"));
  // It decides nothing alone.
  EXPECT_FALSE(says(told("args.save_assets or files", "    args.save_assets = False\n"), kOn));
  // Another file of the tests may switch it on.
  for (const char* more : {"def f(args):\n    args.save_assets = True\n",
                           "def f(args, on):\n    args.save_assets = on\n", "OPTIONS = [\"--save-assets\"]\n",
                           "OPTIONS = {\"save_assets\": True}\n", "def f(g):\n    return g(save_assets=True)\n"})
    EXPECT_FALSE(says(told("args.save_assets", "    args.save_assets = False\n", more), kOn)) << more;
}

}  // namespace
}  // namespace lockstep::render
