// Questions that are written otherwise and come out as they did, locals that questions ask, and files among the tests
// that hold none.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string step(const std::string& first, const std::string& second) {
  return "def step(model, serving, drafts, x):\n    if " + first +
         ":\n        model.cache = x\n        model.keep(x)\n    " + second +
         ":\n        x = model.loss(x)\n    return x\n";
}

TEST(SameQuestions, AnElifThatLetsThroughWhatTheElseDidIsNoNewCondition) {
  const std::string text =
      explain_of({{"a.py", step("serving or drafts", "else")}}, {{"a.py", step("drafts", "elif not serving")}});
  EXPECT_TRUE(says(text, "`step` (changed, `a.py:1`)")) << text;
  EXPECT_TRUE(says(text, "no longer when only `serving` is set")) << text;
  EXPECT_FALSE(says(text, "model.loss(x)`")) << text;
  const std::string back =
      explain_of({{"a.py", step("drafts", "elif not serving")}}, {{"a.py", step("serving or drafts", "else")}});
  EXPECT_FALSE(says(back, "model.loss(x)`")) << back;
}

TEST(SameQuestions, AnElifThatAsksMoreIsANewCondition) {
  const std::string text =
      explain_of({{"a.py", step("serving or drafts", "else")}}, {{"a.py", step("drafts", "elif not model.frozen")}});
  EXPECT_TRUE(says(text, "`model.frozen`")) << text;
  const std::string half =
      explain_of({{"a.py", step("serving or drafts", "else")}}, {{"a.py", step("drafts", "elif serving")}});
  EXPECT_TRUE(says(half, "model.loss(x)`")) << half;
}

std::string serve(const std::string& asked, const std::string& given) {
  return "def serve(context, serving, x):\n    drafts = " + given + "\n    x = x + 1\n    if " + asked +
         ":\n        context.cache = x\n    return x if drafts else None\n";
}

TEST(SameQuestions, WhatALocalOfTheQuestionWasWorkedOutFromIsTold) {
  const std::string drafts = "serving and context is not None and context.drafts > 0";
  const std::string text =
      explain_of({{"a.py", serve("serving or drafts", drafts)}}, {{"a.py", serve("drafts", drafts)}});
  EXPECT_TRUE(says(text, "(`drafts` being `" + drafts + "`)")) << text;
}

TEST(SameQuestions, WhatHasSeveralValuesOrIsNoQuestionIsNot) {
  const std::string text = explain_of({{"a.py", serve("serving or drafts", "context.drafts")}},
                                      {{"a.py", serve("drafts", "context.drafts")}});
  EXPECT_FALSE(says(text, "being")) << text;
  const auto twice = [](const std::string& asked) {
    return replace_all(serve(asked, "context.drafts > 0"), "    x = x + 1\n", "    drafts = drafts or serving\n");
  };
  const std::string both = explain_of({{"a.py", twice("serving or drafts")}}, {{"a.py", twice("drafts")}});
  EXPECT_FALSE(says(both, "being")) << both;
}

TEST(SameQuestions, AScriptAmongTheTestsIsEnteredByNoTestRunner) {
  const std::string launch = "def launch(n):\n    return n\n\n\nif __name__ == \"__main__\":\n    launch(3)\n";
  const std::string jobs = "COMMANDS = [\"python tests/tools/launch.py\"]\n";
  const Files before = {{"tests/tools/launch.py", launch}, {"tests/tools/jobs.py", jobs}};
  const Files after = with_edit(before, "tests/tools/launch.py", "return n\n", "return n + 1\n");
  const std::string words =
      "`tests/tools/launch.py` holds no test and is run as a script, named in `tests/tools/jobs.py:1`.";
  EXPECT_TRUE(says(explain_of(before, after), words)) << explain_of(before, after);
  const std::string text = dive_of(before, after);
  EXPECT_TRUE(says(text, words)) << text;
  EXPECT_FALSE(says(text, "the test runner")) << text;
  EXPECT_TRUE(says(text, "Only scripts among the tests change; nothing that runs in training is affected.")) << text;
  EXPECT_FALSE(says(text, "nly tests change")) << text;
  Files with_test = before;
  with_test["tests/test_a.py"] = "def test_it():\n    assert 1 + 1 == 2\n";
  const std::string both =
      dive_of(with_test, with_edit(with_edit(with_test, "tests/tools/launch.py", "return n\n", "return n + 1\n"),
                                   "tests/test_a.py", "1 + 1 == 2", "2 + 2 == 4"));
  EXPECT_TRUE(says(both, "Only tests and scripts among them change")) << both;
}

TEST(SameQuestions, ATestThatOnlyNamesAClassLeadsNowhere) {
  const std::string code =
      "class Store:\n    def __init__(self, path):\n        self.path = path\n\n\ndef open_store(path):\n"
      "    return Store(path)\n";
  const auto with_test = [&](const std::string& body) {
    const Files before = {{"a.py", code},
                          {"tests/test_a.py", "from a import Store, open_store\n\n\ndef test_a():\n    " + body}};
    return dive_of(before, with_edit(before, "a.py", "self.path = path", "self.path = str(path)"));
  };
  const std::string named = with_test("assert set(vars(Store)) == set()\n");
  EXPECT_FALSE(says(named, "a test that leads to")) << named;
  EXPECT_FALSE(says(named, "By the call graph a test leads")) << named;
  const std::string called = with_test("assert open_store(3).path == '3'\n");
  EXPECT_TRUE(says(called, "a test that leads to `Store.__init__`")) << called;
}

TEST(SameQuestions, TestsAreEnteredByOneAndHelpersByTests) {
  const std::string test = "def test_it():\n    assert 1 + 1 == 2\n\n\nif __name__ == \"__main__\":\n    test_it()\n";
  const Files before = {{"tests/test_a.py", test}, {"tests/helpers.py", "def make():\n    return 1\n"}};
  const std::string text = dive_of(before, with_edit(before, "tests/test_a.py", "1 + 1 == 2", "2 + 2 == 4"));
  EXPECT_TRUE(says(text, "Only tests change; the test runner enters them directly.")) << text;
  EXPECT_FALSE(says(text, "holds no test")) << text;
  const std::string helper = dive_of(before, with_edit(before, "tests/helpers.py", "return 1", "return 2"));
  EXPECT_TRUE(says(helper, "Only code of tests changes; it runs where tests use it.")) << helper;
}

TEST(SameQuestions, WhyATestRunsTwiceIsNoReasonForTheChange) {
  const Files before = {{"a.py", "def f(x):\n    return x\n"}, {"tests/test_a.py", "import a\n"}};
  const std::string docstring =
      "    \"\"\"Regression: no drafts.\n\n    Without drafts the run must not touch the buffer, which is never "
      "allocated then.\n\n    Covers both models since each of them has the same branch.\n    \"\"\"\n";
  const Files after = {{"a.py", "def f(x):\n    return x + 1\n"},
                       {"tests/test_a.py", "import a\n\n\ndef test_f():\n" + docstring + "    assert a.f(1) == 2\n"}};
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "must not touch the buffer")) << text;
  EXPECT_FALSE(says(text, "Covers both models")) << text;
}

TEST(SameQuestions, SettingsThatANewAssertionRefusesAreTold) {
  const auto config = [](const std::string& check) {
    return "from dataclasses import dataclass\n\n\n@dataclass\nclass ModelConfig:\n    fuse_loss: bool = False\n"
           "    loss_impl: str = \"native\"\n\n    def __post_init__(self):\n        self.ready = True\n" +
           check;
  };
  const std::string check =
      "        assert not (self.fuse_loss and self.loss_impl == \"te\"), \"the fused loss of te is not stable\"\n";
  const std::string text = explain_of({{"a.py", config("")}}, {{"a.py", config(check)}});
  EXPECT_TRUE(says(text,
                   "- `fuse_loss` (`a.py:6`), default `False`. Refused: `self.fuse_loss` is set and "
                   "`self.loss_impl` is `\"te\"`."))
      << text;
  EXPECT_TRUE(says(text, "- `loss_impl` (`a.py:7`)")) << text;
  // Under the question of a branch a check asks for more: what the branch asks alone is not refused.
  const std::string below = explain_of(
      {{"a.py", config("")}},
      {{"a.py",
        config("        if self.fuse_loss:\n            assert self.loss_impl == \"te\", \"no other is fused\"\n")}});
  EXPECT_FALSE(says(below, "Refused: `self.fuse_loss` is set.")) << below;
  const std::string none = explain_of({{"a.py", config("")}}, {{"a.py", config("        assert self.ready\n")}});
  EXPECT_FALSE(says(none, "- `fuse_loss`")) << none;
}

TEST(SameQuestions, AParameterOfFunctionsThatGoGoesWithThem) {
  const std::string helpers =
      "def first(cfg, layers_to_skip):\n    return cfg[:layers_to_skip]\n\n\ndef last(cfg, layers_to_skip):\n"
      "    return cfg[-layers_to_skip:]\n\n\n";
  const std::string run =
      "def run(cfg, n):\n    cfg = first(cfg, layers_to_skip=n)\n    return last(cfg, layers_to_skip=n)\n";
  const std::string text =
      explain_of({{"a.py", helpers + run}}, {{"a.py", "def run(cfg, n):\n    return cfg + [n]\n"}});
  EXPECT_FALSE(says(text, "`layers_to_skip` is gone")) << text;
  // Of a function that stays it is told.
  const std::string kept = "def first(cfg):\n    return cfg\n\n\ndef last(cfg):\n    return cfg[1:]\n\n\n";
  const std::string stays = explain_of(
      {{"a.py", helpers + run}}, {{"a.py", kept + "def run(cfg, n):\n    cfg = first(cfg)\n    return last(cfg)\n"}});
  EXPECT_TRUE(says(stays, "`layers_to_skip` is gone")) << stays;
}

TEST(SameQuestions, AMethodOfAResultThatMayBeOneOfSeveralIsDrawnAtNone) {
  const std::string timers =
      "class Timer:\n    def start(self, barrier):\n        barrier.wait()\n\n\nclass NoTimer:\n    def start(self, "
      "barrier):\n        return\n\n\nclass Timers:\n    def __init__(self):\n        self.all = {\"a\": Timer()}\n"
      "        self.none = NoTimer()\n\n    def get(self, name, level):\n        if level > 1:\n            return "
      "self.none\n        return self.all[name]\n\n\n";
  const std::string before = timers + "def run(x):\n    return x\n";
  const std::string after =
      timers +
      "def run(x):\n    timers = Timers()\n    timers.get(\"a\", 1).start(x)\n    step(x)\n    return x\n\n\n"
      "def step(x):\n    print(x)\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, " as NoTimer\n")) << text;
  EXPECT_FALSE(says(text, " as Timer\n")) << text;
}

TEST(SameQuestions, OneStatementThatSeveralGetIsToldOnce) {
  const auto schedule = [](const std::string& name, const std::string& asked, const std::string& more) {
    return "def " + name + "(groups, talker):\n    if " + asked +
           ":\n        groups = Groups()\n        groups.tp = make_tp()\n" + more + "    return groups\n\n\n";
  };
  const auto files = [&](const std::string& more) {
    std::string text = "class Groups:\n    tp = None\n\n\n";
    for (const std::string name : {"one", "two", "three", "four", "five", "six", "seven", "eight"}) {
      text += "def " + name + "(x):\n";
      if (!more.empty())
        text += "    if x.is_" + name + ":\n        x.put_" + name + "(x.get_" + name +
                "())\n        raise ValueError(\"no more of " + name + "\")\n    for i in x." + name +
                ":\n        print(i)\n";
      text += "    return x\n\n\n";
    }
    return text + schedule("plain", "groups is None", more) +
           schedule("loops", "groups is None and talker is None", more) +
           schedule("chunks", "groups is None and talker is None", more);
  };
  const std::string text =
      explain_of({{"a.py", files("")}}, {{"a.py", files("        groups.tp_dp = make_group(with_context=True)\n")}});
  EXPECT_TRUE(says(text,
                   "sets `groups.tp_dp` to `make_group(with_context=True)` where `groups` is `None`. The same "
                   "statement under other conditions in `loops` (`a.py:"))
      << text;
}

TEST(SameQuestions, WhatATestOfTheChangeSwitchesOnIsNotAskedForThoughItsWayIsNotSure) {
  const std::string code =
      "class Wide:\n    pass\n\n\ndef widen(x, config):\n    return x\n\n\ndef make(model, x, config):\n"
      "    if isinstance(model, Wide):\n        return widen(x, config)\n    return x\n";
  const std::string changed =
      replace_all(code, "config):\n    return x\n\n\ndef make",
                  "config):\n    if config.fp8:\n        return x + 1\n    return x\n\n\ndef make");
  const auto text_of = [&](const std::string& given) {
    const Files before = {{"a.py", code}, {"tests/test_a.py", "from a import make\n"}};
    const std::string test = "from a import make\n\n\ndef test_run():\n    make(object(), 1, config(" + given + "))\n";
    return explain_of(before, {{"a.py", changed}, {"tests/test_a.py", test}});
  };
  EXPECT_FALSE(says(text_of("fp8=True"), "The changed lines deal with")) << text_of("fp8=True");
  EXPECT_TRUE(says(text_of("fp8=False"), "The changed lines deal with FP8.")) << text_of("fp8=False");
}

TEST(SameQuestions, SettingsThatANewWayOutPassesOverAreAsked) {
  const std::string rest =
      "    made = table[args.kind]\n    if args.only_weights:\n        made.append(1)\n    if args.shared_width:\n"
      "        made.append(2)\n    return made\n";
  const std::string other = "\n\ndef width(args):\n    return args.shared_width\n";
  const auto file = [&](const std::string& branch) { return "def make(args, table):\n" + branch + rest + other; };
  const std::string branch = "    if args.recipe is not None:\n        return load(args.recipe)\n";
  const std::string text = explain_of({{"a.py", file("")}}, {{"a.py", file(branch)}});
  EXPECT_TRUE(says(text,
                   "Where `args.recipe` is not `None`, `make` returns before it reads `args.kind` and "
                   "`args.only_weights`, which nothing else outside tests was found to read."))
      << text;
  // What the branch reads itself, what only leaves, and what was there before passes over nothing.
  const std::string reads =
      "    if args.recipe is not None:\n        print(args.only_weights, args.kind)\n        return "
      "load(args.recipe)\n";
  EXPECT_FALSE(says(explain_of({{"a.py", file("")}}, {{"a.py", file(reads)}}), "returns before it reads"));
  const std::string leaves = "    if args.recipe is None:\n        return None\n";
  EXPECT_FALSE(says(explain_of({{"a.py", file("")}}, {{"a.py", file(leaves)}}), "returns before it reads"));
}

}  // namespace
}  // namespace lockstep::render
