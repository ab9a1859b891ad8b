// What a change means through the code that it calls: what the order of calls decides, what parallel calls keep, and
// what the conditions ask that it stands under.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string loaders(const std::string& common, const std::string& sharded) {
  return "def load(path, weights_only):\n    return open(path, weights_only)\n\n\ndef load_common(path):\n"
         "    state = load(path, weights_only=" +
         common + ")\n    return state\n\n\ndef load_sharded(path):\n    shards = load(path, weights_only=" + sharded +
         ")\n    return list(shards)\n";
}

TEST(CalledCode, CallsThatKeepTheOldArgumentAreAskedAbout) {
  const std::string text = explain_of({{"a.py", loaders("False", "False")}}, {{"a.py", loaders("True", "False")}});
  EXPECT_TRUE(says(text,
                   "`load_common` gives `load` `True` as `weights_only` now, formerly `False`; `load_sharded` "
                   "(`a.py:11`) keeps to `False`. Is it meant to differ?"))
      << text;
  const std::string both = explain_of({{"a.py", loaders("False", "False")}}, {{"a.py", loaders("True", "True")}});
  EXPECT_FALSE(says(both, "keeps to")) << both;
  const std::string other = explain_of({{"a.py", loaders("False", "path")}}, {{"a.py", loaders("True", "path")}});
  EXPECT_FALSE(says(other, "keeps to")) << other;
}

TEST(CalledCode, ParallelCallsThatDoWithoutANewlyGivenArgumentAreAskedAbout) {
  const auto code_of = [](const std::string& first, const std::string& second) {
    return "def make(model, group=None):\n    return group or model\n\n\ndef build(model, group, wide):\n"
           "    if wide:\n        wrapped = make(model" +
           first + ")\n        return wrapped\n    plain = make(model" + second + ")\n    return plain\n";
  };
  const std::string text = explain_of({{"a.py", code_of("", "")}}, {{"a.py", code_of("", ", group=group")}});
  EXPECT_TRUE(says(text,
                   "`build` gives `make` `group` now; `build` (`a.py:7`) still calls it without it. Is it meant to "
                   "differ?"))
      << text;
  const std::string all =
      explain_of({{"a.py", code_of("", "")}}, {{"a.py", code_of(", group=group", ", group=group")}});
  EXPECT_FALSE(says(all, "still calls it")) << all;
  // A call that gives other things, too, is another one.
  const std::string other = replace_all(code_of("", ""), "wrapped = make(model", "wrapped = make(model=model");
  const std::string apart = explain_of(
      {{"a.py", other}}, {{"a.py", replace_all(other, "plain = make(model)", "plain = make(model, group=group)")}});
  EXPECT_FALSE(says(apart, "still calls it")) << apart;
}

std::string unit(const std::string& first, const std::string& second) {
  return "class Unit:\n    def reshard(self):\n        self.shards = None\n\n    def reduce(self):\n"
         "        return sum(self.shards)\n\n    def log(self):\n        print(\"done\")\n\n    def "
         "post_backward(self):\n"
         "        " +
         first + "\n        " + second + "\n";
}

TEST(CalledCode, CallsThatChangePlacesAreAskedAboutWhereOneSetsWhatTheOtherReads) {
  const std::string text = explain_of({{"a.py", unit("self.reshard()", "self.reduce()")}},
                                      {{"a.py", unit("self.reduce()", "self.reshard()")}});
  EXPECT_TRUE(says(text,
                   "`Unit.post_backward` calls `self.reduce` before `self.reshard` now, formerly behind it: "
                   "`self.reshard` sets `self.shards` (`Unit.reshard`: `a.py:3`), which `self.reduce` reads "
                   "(`Unit.reduce`: `a.py:6`). Is it meant to read what was there before?"))
      << text;
  const std::string apart =
      explain_of({{"a.py", unit("self.reshard()", "self.log()")}}, {{"a.py", unit("self.log()", "self.reshard()")}});
  EXPECT_FALSE(says(apart, "formerly behind it")) << apart;
}

TEST(CalledCode, AnAttributeThatIsSetAfterTheCallThatReadsItIsAskedAbout) {
  const auto layer = [](const std::string& first, const std::string& second) {
    return "class Base:\n    def __init__(self):\n        self.build()\n\n    def build(self):\n"
           "        self.weight = [0] * self.size\n\n\nclass Layer(Base):\n    def __init__(self, size):\n        " +
           first + "\n        " + second + "\n";
  };
  const std::string text = explain_of({{"a.py", layer("self.size = size", "super().__init__()")}},
                                      {{"a.py", layer("super().__init__()", "self.size = size")}});
  EXPECT_TRUE(says(text,
                   "`Layer.__init__` calls `super().__init__` before it sets `self.size` now (`a.py:12`), formerly "
                   "after that: `super().__init__` reads it (`Base.build`: `a.py:6`). Is it meant to read what was "
                   "there before?"))
      << text;
  const std::string other = explain_of({{"a.py", layer("self.name = size", "super().__init__()")}},
                                       {{"a.py", layer("super().__init__()", "self.name = size")}});
  EXPECT_FALSE(says(other, "formerly after that")) << other;
}

TEST(CalledCode, WhatAConditionAsksByAShortFunctionIsUnfolded) {
  const auto stage = [](const std::string& body) {
    return "class Stage:\n    def is_last(self):\n        return self.rank == self.size - 1\n\n"
           "    def name(self):\n        return self.label\n\n    def step(self, batch):\n" +
           body + "        return batch\n";
  };
  const std::string text = explain_of(
      {{"a.py", stage("")}}, {{"a.py", stage("        if self.is_last():\n            batch = batch.half()\n")}});
  EXPECT_TRUE(says(text, "`self.is_last()` gives `self.rank == self.size - 1` (`a.py:2`).")) << text;
  // Once, of however many functions.
  const auto both = [](const std::string& branch) {
    return "def ready(state):\n    return state.size > 1\n\n\ndef first(state, x):\n" + branch +
           "    return x + 1\n\n\ndef second(state, x):\n" + branch + "    return x * 2\n";
  };
  const std::string once =
      explain_of({{"a.py", both("")}}, {{"a.py", both("    if ready(state):\n        x = x.half()\n")}});
  const std::size_t at = once.find("`ready(state)` gives `state.size > 1`");
  EXPECT_NE(at, std::string::npos) << once;
  EXPECT_EQ(once.find("`ready(state)` gives", at + 1), std::string::npos) << once;
  // In the names of the place that asks.
  const std::string far = "def is_odd(n, base=2):\n    return n % base != 0\n\n\ndef run(args):\n";
  const std::string asked =
      explain_of({{"a.py", far + "    return args.size\n"}},
                 {{"a.py", far + "    if is_odd(args.size):\n        return 0\n    return args.size\n"}});
  EXPECT_TRUE(says(asked, "`is_odd(args.size)` gives `args.size % 2 != 0` (`a.py:1`).")) << asked;
  const std::string named = explain_of(
      {{"a.py", stage("")}}, {{"a.py", stage("        if self.name():\n            batch = batch.half()\n")}});
  EXPECT_FALSE(says(named, "`self.name()` gives")) << named;
}

}  // namespace
}  // namespace lockstep::render
