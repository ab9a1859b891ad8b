// What each side of a new branch does, what a condition sets on its way, and concepts that code has to show.
#include <gtest/gtest.h>

#include <string>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

TEST(ToldArms, WhatChangesACountIsToldBesideACall) {
  const auto update = [](const std::string& body) {
    return "class Context:\n    def update(self, index, count):\n        self.swap(index)\n" + body +
           "        assert self.total == count + self.paused\n        return count\n\n    def swap(self, index):\n"
           "        self.rows[index], self.rows[-1] = self.rows[-1], self.rows[index]\n";
  };
  const std::string arms =
      "        if index != -1:\n            if index < self.total:\n                self.swap(self.total)\n"
      "                count -= 1\n                self.total -= 1\n            else:\n"
      "                if index != self.total:\n                    self.swap(index)\n";
  const std::string text = explain_of({{"a.py", update("")}}, {{"a.py", update(arms)}});
  EXPECT_TRUE(says(text, "subtracts `1` from `count`")) << text;
  EXPECT_TRUE(says(text, "subtracts `1` from `self.total`")) << text;
  EXPECT_FALSE(says(text, "more step")) << text;
}

TEST(ToldArms, WhatOneSideLeavesOutIsNotCountedAfterTheOther) {
  const auto run = [](const std::string& body) {
    return "def load(x):\n    return x\n\n\ndef run(flag, x):\n    x = load(x)\n" + body + "    return x\n";
  };
  std::string many;
  for (const std::string name : {"first", "second", "third", "fourth", "fifth", "sixth"})
    many += "            load(" + name + "_of_a_rather_long_list_of_things_to_be_loaded, x)\n";
  const std::string text =
      explain_of({{"a.py", run("")}},
                 {{"a.py", run("    if flag:\n        if x:\n" + many + "        else:\n            load(flag)\n")}});
  const std::size_t other_side = text.find("therwise");
  const std::size_t left_out = text.find("more steps");
  ASSERT_NE(other_side, std::string::npos) << text;
  ASSERT_NE(left_out, std::string::npos) << text;
  EXPECT_LT(left_out, other_side) << text;
}

TEST(ToldArms, AConditionThatSetsANameShowsItsValue) {
  const auto step = [](const std::string& condition) {
    return "class Context:\n    def index_of(self, safe=True):\n        return self.rows.index(self.wanted)\n\n"
           "    def step(self):\n        if " +
           condition + ":\n            self.keep()\n        return self.rows\n";
  };
  const std::string text =
      explain_of({{"a.py", step("self.wanted != -1")}}, {{"a.py", step("(row := self.index_of(safe=True)) != -1")}});
  EXPECT_TRUE(says(text,
                   "when `row` (set to `self.index_of(safe=True)`) is not `-1`, formerly when `self.wanted` is "
                   "not `-1`"))
      << text;
}

TEST(ToldArms, AWordInANameIsNoRecomputation) {
  const auto code = [](const std::string& line) {
    return "def suspend(self, waiting):\n    self.pause()\n" + line + "    return waiting\n";
  };
  const auto told = [&](const std::string& line) { return dive_of({{"a.py", code("")}}, {{"a.py", code(line)}}); };
  EXPECT_FALSE(says(told("    recompute_ids = [one for one in waiting]\n    self.reset(recompute_ids)\n"),
                    "Activation recomputation"));
  EXPECT_FALSE(
      says(told("    if self.mode == Mode.recompute_all:\n        self.reset(waiting)\n"), "Activation recomputation"));
  EXPECT_TRUE(says(told("    if self.config.recompute_granularity == 'full':\n        self.reset(waiting)\n"),
                   "Activation recomputation"));
  EXPECT_TRUE(says(told("    waiting = checkpoint(self.forward, waiting)\n"), "Activation recomputation"));
}

}  // namespace
}  // namespace lockstep::render
