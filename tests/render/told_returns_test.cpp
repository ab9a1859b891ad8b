// Returns, places of calls, settings that the way sets, lists in quotations, and the tests that a document names.
#include <gtest/gtest.h>

#include <utility>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "report/story/story.h"

namespace lockstep::render {
namespace {

/// The last of several returns is what is left to it, not what the function returns: the code shows them all.
TEST(ToldReturns, TheLastOfSeveralIsNotToldAlone) {
  const std::string lib = "def scale(config, device):\n    return None\n";
  const auto text_of = [&](const std::string& early) {
    return explain_of({{"lib.py", lib}},
                      {{"lib.py", "import torch\n\n\n" + lib + "\n\ndef scale_of(config, device):\n" + early +
                                      "    return torch.ones(1, device=device)\n"}});
  };
  const std::string several = text_of("    if config.scale is not None:\n        return config.scale\n");
  EXPECT_FALSE(says(several, "- Returns `torch.ones(1, device=device)`")) << several;
  EXPECT_FALSE(says(several, "`, which allocates a tensor of ones")) << several;
  const std::string one = text_of("    device = str(device)\n");
  EXPECT_TRUE(says(one, "- Returns `torch.ones(1, device=device)`")) << one;
}

/// What was worked out always is not edited by the first constant that one of several cases gives now.
TEST(ToldReturns, AResultThatBecomesSeveralCasesIsToldAsGone) {
  const auto text_of = [](const std::string& now) {
    const std::string head = "def should_defer(self):\n";
    return explain_of({{"a.py", head + "    return self.config.reuse and not self.config.overlap\n"}},
                      {{"a.py", head + now}});
  };
  const std::string cases = text_of(
      "    if not self.config.reuse:\n        return False\n    for one in self.chained:\n"
      "        if not one.overlap:\n            return True\n    return False\n");
  EXPECT_TRUE(says(cases, "no longer returns `self.config.reuse and not self.config.overlap`")) << cases;
  EXPECT_TRUE(says(cases, "| `return False` or `return True` (depending on the branch) |")) << cases;
  EXPECT_FALSE(says(cases, "return False<br/>MODIFIED")) << cases;
  const std::string kept = text_of(
      "    if self.is_off:\n        return False\n"
      "    return self.config.reuse and not self.config.overlap\n");
  EXPECT_FALSE(says(kept, "o longer returns")) << kept;
  const std::string one = text_of("    return False\n");
  EXPECT_FALSE(says(one, "o longer returns")) << one;
}

TEST(ToldReturns, AllThatOneStandsInPlaceOfAreTold) {
  const std::string was =
      "def rows(self, logits):\n    flat = logits.squeeze(0)\n    if self.speculative > 0:\n"
      "        chosen = self.chosen(logits.device)\n        return flat[chosen, :]\n"
      "    last = self.lengths.cumsum(0) - 1\n    return flat[last, :]\n";
  const std::string now = "def rows(self, logits):\n    return logits.squeeze(0)[self.indices[: self.count], :]\n";
  const std::string other = "\n\ndef use(self, x):\n    y = rows(self, x)\n    return y\n";
  const std::string used = "\n\ndef use(self, x):\n    y = rows(self, x + 1)\n    return y\n";
  const std::string text = explain_of({{"a.py", was + other}}, {{"a.py", now + used}});
  EXPECT_TRUE(says(text, "| `return flat[chosen, :]` or `return flat[last, :]` (depending on the branch) |")) << text;
  EXPECT_TRUE(says(text, "in place of `flat[chosen, :]` and `flat[last, :]`")) << text;
  EXPECT_FALSE(says(text, "No longer returns")) << text;
  // The same value twice is one.
  const std::string twice = replace_all(was, "flat[last, :]", "flat[chosen, :]");
  const std::string same = explain_of({{"a.py", twice + other}}, {{"a.py", now + used}});
  EXPECT_FALSE(says(same, "depending on the branch")) << same;
}

TEST(ToldReturns, APlaceOfACalleeIsNotThatOfTheCall) {
  const std::string lib =
      "def normal(x):\n    x = x * 2\n    return x\n\n\ndef run(x):\n    y = x\n    return y\n\n\n"
      "def train_step(x):\n    return run(x)\n";
  const std::string text =
      dive_of({{"a.py", lib}}, with_edit({{"a.py", lib}}, "a.py", "    y = x\n    return y\n",
                                         "    if x > 1:\n        return normal(x)\n    return x\n"));
  EXPECT_TRUE(says(text, "defined at")) << text;
  EXPECT_FALSE(says(text, "returns `normal(x)` (a.py:1)")) << text;
}

TEST(ToldReturns, WhatMaySharesMemoryIsNoAllocation) {
  const std::string lib = "import torch\n\n\ndef step(x):\n    return x\n\n\ndef train_step(x):\n    return step(x)\n";
  const auto with = [&](const std::string& body) {
    return explain_of({{"a.py", lib}}, with_edit({{"a.py", lib}}, "a.py", "    return x\n", body));
  };
  EXPECT_FALSE(says(with("    y = torch.as_tensor(x, device='cuda')\n    return y\n"), "New allocations"));
  EXPECT_TRUE(says(with("    y = torch.zeros(x, 4096, device='cuda')\n    return y\n"), "New allocations"));
}

const std::string kConfig =
    "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    grad_scale_func: object = None\n"
    "    \"\"\"Scales the loss.\"\"\"\n";

Files training(const std::string& sets, const std::string& step) {
  return {{"config.py", kConfig},
          {"step.py", "def step(config, x):\n" + step},
          {"pretrain.py", "from config import Config\nfrom step import step\n\n\ndef train(config, optimizer, x):\n" +
                              sets +
                              "    for i in range(3):\n        step(config, x)\n\n\n"
                              "if __name__ == '__main__':\n    train(Config(), None, 1)\n"}};
}

TEST(ToldReturns, WhatTheWaySetsIsNotLeftAtItsDefault) {
  const std::string old_step = "    return x\n";
  const std::string new_step =
      "    if config.grad_scale_func is not None:\n        x = config.grad_scale_func(x)\n    return x\n";
  const auto text_of = [&](const std::string& sets) {
    return explain_of(training(sets, old_step), training(sets, new_step));
  };
  const std::string set = text_of("    config.grad_scale_func = optimizer.scale_loss\n");
  EXPECT_TRUE(says(set, "On the way told here, `train` (`pretrain.py:6`) sets it to `optimizer.scale_loss` before"))
      << set;
  for (const std::string& sets :
       {std::string("    if x:\n        config.grad_scale_func = optimizer.scale_loss\n"),
        std::string("    x = x + 1\n"), std::string("    config.grad_scale_func = config.grad_scale_func\n")}) {
    const std::string text = text_of(sets);
    EXPECT_FALSE(says(text, "On the way told here")) << text;
  }
}

TEST(ToldReturns, ANumberedListKeepsItsNumbers) {
  const std::string lib = "def f(x):\n    return x\n";
  const auto test = [](const std::string& docstring) {
    return "from lib import f\n\n\ndef test_f():\n    \"\"\"" + docstring + "\"\"\"\n    assert f(1) == 2\n";
  };
  const std::string text = explain_of(
      {{"lib.py", lib}}, {{"lib.py", replace_all(lib, "return x", "return x + 1")},
                          {"tests/test_f.py", test("The rows are checked, since the graph pads them:\n"
                                                   "    1. the count is the padded one of the graph\n"
                                                   "    2. the last rows are in the order of requests\n    ")}});
  EXPECT_TRUE(says(text, "1. the count is the padded one of the graph 2. the last rows are")) << text;
}

TEST(ToldReturns, WhatExistsStandsApartFromWhatIsMissing) {
  const std::string lib = "def f(x):\n    return x\n\n\ndef g(x):\n    return x\n";
  const std::string test = "from lib import f\n\n\ndef test_f():\n    assert f(1)\n";
  const Files before = {{"lib.py", lib}, {"tests/test_lib.py", test}};
  const std::string text = explain_of(
      before, with_edit(before, "lib.py", lib, replace_all(lib, "    return x\n", "    x = x + 1\n    return x\n")));
  const std::size_t missing = text.find("**Missing Tests**");
  const std::size_t found = text.find("Tests found:");
  const std::size_t untested = text.find("NOT TESTED");
  const std::size_t called = text.find("`f`: Called in the test");
  ASSERT_TRUE(missing < untested && untested < found && found < called) << text;
}

/// What a test leaves at its default closes a way, whoever sets it where the test does not come.
TEST(ToldReturns, ASettingThatOnlyUnreachedCodeSetsIsUnset) {
  const std::string lib =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    depth: int = None\n\n\n"
      "def inner(config, x):\n    return x\n\n\n"
      "def outer(config, x):\n    if hasattr(config, 'depth') and config.depth is not None:\n"
      "        inner(config, x)\n    return x\n\n\n"
      "def validate(args, n):\n    args.depth = n.count\n    return args\n";
  const auto text_of = [&](const std::string& test) {
    const Files before = {{"lib.py", lib},
                          {"tests/test_lib.py", "from lib import Config, inner, outer, validate\n\n\n" + test}};
    return explain_of(before, with_edit(before, "lib.py", "def inner(config, x):\n    return x\n",
                                        "def inner(config, x):\n    x = x * 2\n    return x\n"));
  };
  const std::string plain = "def test_outer():\n    outer(Config(), 1)\n";
  EXPECT_FALSE(says(text_of(plain), "Calls lead to it")) << text_of(plain);
  const std::string direct = text_of(plain + "\n\ndef test_inner():\n    inner(Config(), 1)\n");
  EXPECT_TRUE(says(direct, "Called in the test `test_inner`")) << direct;
  const std::string sets = text_of("def test_outer():\n    outer(Config(depth=2), 1)\n");
  EXPECT_TRUE(says(sets, "Calls lead to it from the test `test_outer`")) << sets;
  const std::string reaches =
      text_of("def test_outer():\n    config = Config()\n    validate(config, [])\n    outer(config, 1)\n");
  EXPECT_TRUE(says(reaches, "Calls lead to it from the test `test_outer`")) << reaches;
}

/// A story that is asked again, for more functions, has the tests of each at its place.
TEST(ToldReturns, TestsThatAreSoughtAgainTakeThePlaceOfTheOldOnes) {
  const std::string lib = "def f(x):\n    return x\n\n\ndef g(x):\n    return x\n";
  const std::string tests = "from lib import f, g\n\n\ndef test_f():\n    f(1)\n\n\ndef test_g():\n    g(1)\n";
  const auto fixture = make_fixture(
      {{"lib.py", lib}, {"tests/test_lib.py", tests}},
      {{"lib.py", replace_all(lib, "return x", "return x + 1")}, {"tests/test_lib.py", tests}}, "Change it");
  report::Story story = report::find_story(fixture->inputs);
  ASSERT_EQ(story.central.size(), 2U);
  std::swap(story.central[0], story.central[1]);
  const auto first = story.tests[1].front().test;
  report::find_tests(fixture->inputs, story);
  ASSERT_EQ(story.tests.size(), 2U);
  EXPECT_EQ(story.tests[0].front().test, first);
}

TEST(ToldReturns, TheCommentWithTheTitlesWordsLeads) {
  const std::string was =
      "def drain(x):\n    \"\"\"Drains.\"\"\"\n    return x\n\n\ndef start(x):\n    y = x\n    return y\n";
  const std::string now =
      "def drain(x):\n    \"\"\"Drains.\n\n    The other path keeps its calls because it has nothing to do here.\n"
      "    \"\"\"\n    x = x + 1\n    return x\n\n\ndef start(x):\n    y = x\n"
      "    # Link the groups so each one can drain its predecessor at dispatch time.\n"
      "    # Only needed where buffers are pinned; without this draining, all tensors stay live until the end.\n"
      "    y = drain(y)\n    return y\n";
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}}, "Drain predecessor at dispatch time");
  const std::size_t own = text.find("without this draining");
  const std::size_t other = text.find("The other path keeps its calls");
  ASSERT_NE(own, std::string::npos) << text;
  EXPECT_TRUE(other == std::string::npos || own < other) << text;
}

}  // namespace
}  // namespace lockstep::render
