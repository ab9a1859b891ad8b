// What the documents say must be so: each on a change small enough to see what would be false.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "render/markdown.h"
#include "report/dive.h"
#include "report/explain.h"

namespace lockstep::render {
namespace {

std::string explain_of(const Files& before, const Files& after) {
  return render_markdown(report::write_explain(make_fixture(before, after, "Change it")->inputs));
}
bool says(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

TEST(Facts, ACheckInABranchIsRequiredOnlyThere) {
  const std::string text = explain_of({{"a.py", "X = 1\n"}}, {{"a.py", R"(X = 1


def f(recipe, size):
    """Do it."""
    if recipe is not None:
        if not X:
            raise RuntimeError("the library is too old")
    if size == 0:
        return None
    assert size > 2
    found = g(size)
    assert found is not None
    for one in found:
        assert recipe
    return found
)"}});
  EXPECT_TRUE(says(text, "`X` is set, else `RuntimeError`, where `recipe` is not `None`")) << text;
  EXPECT_TRUE(says(text, "`size` is more than `2` where `size` is not `0`")) << text;
  EXPECT_FALSE(says(text, "`found` is not `None`;")) << text;
  EXPECT_FALSE(says(text, "; `recipe` is set")) << text;
}

TEST(Facts, WhatAMethodOfAResultDoesIsNotWhatTheCallDoes) {
  const std::string text = explain_of({{"a.py", "X = 1\n"}}, {{"a.py", R"(import torch.distributed as dist

X = 1


def swap(x, group):
    """Send x around."""
    dist.all_reduce(x, group=group)
    return x


def f(x, group):
    """Do it."""
    tail = swap(x, group).view(2, 3)
    return tail
)"}});
  EXPECT_TRUE(says(text, "“Send x around”), which can issue `all_reduce`, then applies `.view(2, 3)`, which reads"))
      << text;
}

TEST(Facts, ACheckThatAnotherFunctionMakesNowIsLeftToIt) {
  const std::string check = "raise ValueError(\"--wide is only supported with --long\")\n";
  const std::string text = explain_of(
      {{"a.py",
        "class C:\n    def check(self):\n        assert self.long, \"--wide is only supported with --long\"\n"
        "        return 1\n\n\ndef build(c):\n    return c\n"}},
      {{"a.py",
        "class C:\n    def check(self):\n        return 1\n\n\ndef build(c):\n    if c.wide and not c.long:\n"
        "        " +
            check + "    return c\n"}});
  EXPECT_TRUE(says(text, "leaves the check `assert self.long, ")) << text;
  EXPECT_FALSE(says(text, "no longer insists")) << text;
}

TEST(Facts, ACheckInAnotherFormIsNotGone) {
  const std::string text = explain_of(
      {{"a.py", "def f(x):\n    assert x.wide, \"x must be wide enough\"\n    return g(x)\n"}},
      {{"a.py",
        "def f(x):\n    if not x.wide:\n        raise ValueError(\"x must be wide enough\")\n    return g(x)\n"}});
  EXPECT_TRUE(says(text, "in place of `assert x.wide, \"x must be wide enough\"`")) << text;
  EXPECT_FALSE(says(text, "no longer insists")) << text;
}

TEST(Facts, AnotherHelpTextIsNoOtherSetting) {
  const std::string before =
      "def arguments(parser):\n    parser.add_argument('--size', type=int, default=4, help='Old words.')\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", replace_all(before, "Old", "New")}});
  EXPECT_FALSE(says(text, "declaration of setting")) << text;
}

const char* const kLoading = R"(def load(path, quick=False, plan=None):
    """Load it."""
    return load_all(path, quick, plan)


def load_all(path, quick, plan):
    """Load all of it."""
    if quick:
        return None
    if plan is None:
        raise ValueError("no plan")
    return read(path)


def read(path):
    """Read it."""
    return path


def peek(path):
    """Look at it."""
    return load(path, quick=True)


def restore(path, plan):
    """Bring it back."""
    return load(path, plan=plan)
)";

TEST(Facts, AConstantThatTheCodeRefusesIsNoWay) {
  Files before = {{"lib.py", kLoading},
                  {"pretrain.py", "import lib\n\nif __name__ == \"__main__\":\n    lib.peek(1)\n    lib.start(1)\n"}};
  before["lib.py"] +=
      "\n\ndef start(path):\n    \"\"\"Start.\"\"\"\n    return resume(path)\n\n\n"
      "def resume(path):\n    \"\"\"Go on.\"\"\"\n    return restore(path, {})\n";
  Files after = before;
  after["lib.py"].replace(after["lib.py"].find("    return path\n"), 16, "    return path + 1\n");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "each `read`: `pretrain.py` → ")) << text;
  EXPECT_TRUE(says(text, "`restore` (`lib.py:")) << text;
  EXPECT_FALSE(says(text, "`peek`")) << text;
}

TEST(Facts, AStubOfOneTestIsNoWayFromOthers) {
  const Files before = {
      {"lib.py", "def step(function):\n    return function(1)\n\n\ndef helper(x):\n    return x\n"},
      {"tests/test_one.py",
       "import lib\n\n\ndef stub(x):\n    return lib.helper(x)\n\n\ndef test_one():\n    lib.step(stub)\n"},
      {"tests/test_two.py", "import lib\n\n\ndef test_two():\n    lib.step(print)\n"}};
  Files after = before;
  after["lib.py"] = replace_all(after["lib.py"], "    return x\n", "    return x + 1\n");
  const std::string text = explain_of(before, after);
  EXPECT_FALSE(says(text, "test_two")) << text;
  EXPECT_FALSE(says(text, "`step` (`lib.py:1`)")) << text;
}

TEST(Facts, AHandlerThatRaisesAgainSwallowsNothing) {
  const std::string text = explain_of(
      {{"a.py", "def f(x):\n    return g(x)\n"}},
      {{"a.py",
        "def f(x):\n    try:\n        return g(x)\n    except BaseException:\n        x.close()\n        raise\n"}});
  EXPECT_FALSE(says(text, "catches nearly everything")) << text;
}

TEST(Facts, TheMethodOfAResultIsNamedByItself) {
  const std::string text = explain_of({{"a.py", "def f(x):\n    y = (x >= 1).to(x.dtype)\n    return y\n"}},
                                      {{"a.py", "def f(x):\n    y = (x >= 1).to(x.other.dtype)\n    return y\n"}});
  EXPECT_TRUE(says(text, "asses `x.other.dtype` to `.to` instead of `x.dtype`")) << text;
}

TEST(Facts, ANameThatStandsInForAnImportIsNoNewDefinition) {
  const std::string text =
      explain_of({{"a.py", "X = 1\n"}}, {{"a.py",
                                          "try:\n    from lib import fast\nexcept ImportError:\n    fast = None\n\nX = "
                                          "1\n\n\ndef f(x):\n    return fast(x)\n"}});
  EXPECT_FALSE(says(text, "- `fast` (new")) << text;
}

TEST(Facts, LinesBetweenChangedOnesAreShown) {
  const std::string text =
      explain_of({{"a.sh", "if a; then\n  one\nfi\ntwo\n"}}, {{"a.sh", "if b; then\n  one\nfi\nthree\n"}});
  EXPECT_TRUE(says(text, "+ if b; then\n    one\n  fi\n- two\n+ three\n")) << text;
}

TEST(Facts, StatementsAboutOtherThingsAreNoEdits) {
  const std::string text = explain_of(
      {{"a.py",
        "def f(self):\n    paused_block_counts = self.request_block_counts[: self.paused_count]\n    return 1\n"}},
      {{"a.py", "def f(self):\n    retained_paused_count = self._get_count_within_budget()\n    return 1\n"}});
  EXPECT_FALSE(says(text, "in place of `paused_block_counts")) << text;
}

}  // namespace
}  // namespace lockstep::render
