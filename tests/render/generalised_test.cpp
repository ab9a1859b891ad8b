// Steps that become the body of a loop over several constants, and functions that tests call by being imported.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kOne =
    "def check(env):\n"
    "    start(env)\n"
    "    mamba = env.get(\"MAMBA\")\n"
    "    if mamba:\n"
    "        assert mamba[0] == \"1\", \"MAMBA disables it\"\n"
    "    finish(env)\n";

std::string loop_over(const std::string& names, const std::string& wanted) {
  return "def check(env):\n"
         "    start(env)\n"
         "    for name in (" +
         names +
         "):\n"
         "        value = env.get(name)\n"
         "        if value:\n"
         "            assert value[0] == " +
         wanted + ", \"it is disabled\"\n    finish(env)\n";
}

TEST(GeneralisedSteps, ALoopThatDoesForOthersWhatWasDoneForOneSaysSo) {
  const std::string text = explain_of({{"a.py", kOne}}, {{"a.py", loop_over("\"MAMBA\", \"CONV\"", "\"1\"")}});
  EXPECT_TRUE(says(text, "does for `\"CONV\"`, too, what it did for `\"MAMBA\"` alone: for each `name`")) << text;
  EXPECT_FALSE(says(text, "o longer asks whether `mamba` is set")) << text;
}

TEST(GeneralisedSteps, WhatIsAskedOtherwiseIsNotTheSame) {
  const std::string other = explain_of({{"a.py", kOne}}, {{"a.py", loop_over("\"MAMBA\", \"CONV\"", "\"2\"")}});
  EXPECT_FALSE(says(other, "what it did for")) << other;
  const std::string without = explain_of({{"a.py", kOne}}, {{"a.py", loop_over("\"CONV\", \"SSM\"", "\"1\"")}});
  EXPECT_FALSE(says(without, "what it did for")) << without;
}

TEST(CallsOnImport, AFunctionThatATestPackageCallsIsRunByItsTests) {
  const auto text_with = [](const std::string& package) {
    const Files tests = {{"tests/unit/__init__.py", package},
                         {"tests/unit/test_a.py", "def test_a():\n    assert True\n"}};
    Files before = tests;
    Files after = tests;
    before["lib.py"] = "def prepare(env):\n    return env\n";
    after["lib.py"] = "def prepare(env):\n    env[\"A\"] = \"1\"\n    return env\n";
    return explain_of(before, after);
  };
  const std::string told =
      "`prepare`: Called at `tests/unit/__init__.py:3`, which every test below `tests/unit` imports.";
  const std::string called = text_with("from lib import prepare\n\nprepare({})\n");
  EXPECT_TRUE(says(called, told)) << called;
  EXPECT_FALSE(says(called, "NOT TESTED")) << called;
  const std::string guarded = text_with("from lib import prepare\n\nif ready:\n    prepare({})\n");
  EXPECT_FALSE(says(guarded, "which every test below")) << guarded;
}

}  // namespace
}  // namespace lockstep::render
