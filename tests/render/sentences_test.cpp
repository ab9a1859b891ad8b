// Sentences of the documents that went wrong once: each on a change small enough to see what it must say.
#include <gtest/gtest.h>

#include "render/document_fixture.h"
#include "render/markdown.h"
#include "report/dive.h"
#include "report/explain.h"

namespace lockstep::render {
namespace {

std::string explain_of(const Files& before, const Files& after, std::string title = "Change it",
                       std::string body = {}) {
  return render_markdown(report::write_explain(make_fixture(before, after, std::move(title), std::move(body))->inputs));
}
std::string dive_of(const Files& before, const Files& after) {
  return render_markdown(report::write_dive(make_fixture(before, after, "Change it")->inputs));
}
bool says(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

TEST(Sentences, QuoteOnlyWhatTheChangeWritesOfADocstring) {
  const std::string text = explain_of({{"a.py", R"(def f(x):
    """Do it.

    Old words must stay unquoted because they are old.
    """
    return x
)"}},
                                      {{"a.py", R"(def f(x):
    """Do it.

    Old words must stay unquoted because they are old.
    New words are needed, so they are quoted.
    """
    return x + 1
)"}});
  EXPECT_TRUE(says(text, "“New words are needed, so they are quoted.”")) << text;
  EXPECT_FALSE(says(text, "“Old words")) << text;
}

TEST(Sentences, AMovedDocstringIsNotTheChangesOwn) {
  const std::string old_text = "Everything waits here because ranks must agree.";
  const std::string text =
      explain_of({{"a.py", "def f(x):\n    \"\"\"Do it.\n\n    " + old_text + "\n    \"\"\"\n    return x\n"}},
                 {{"a.py",
                   "def g(x):\n    return x\n\n\ndef h(x):\n    return g(x)\n\n\ndef f(x):\n    \"\"\"Do "
                   "it.\n\n    Everything waits here because\n    ranks must agree.\n    \"\"\"\n    return "
                   "h(x)\n"}});
  EXPECT_FALSE(says(text, "“Everything waits here")) << text;
}

TEST(Sentences, CommentsThatNumberStepsOrOnlySayChangeGiveNoReason) {
  const std::string text = explain_of({{"a.py", "def f(x):\n    return x\n"}},
                                      {{"a.py",
                                        "def f(x):\n    # Step 2: check that it must hold now\n    g(x)\n    # "
                                        "Exchange the values of both sides here\n    return x + 1\n"}});
  EXPECT_TRUE(says(text, "the reason is not recorded")) << text;
}

TEST(Sentences, AModuleDocstringOfANewFileSaysWhy) {
  const std::string text =
      explain_of({{"a.py", "X = 1\n"}},
                 {{"a.py", "X = 1\n"},
                  {"bank.py",
                   "\"\"\"Bank of groups.\n\nGroups are written at once, so a kill loses none.\n\"\"\"\n\n\n"
                   "def put(group):\n    with open(group) as f:\n        return f.read()\n"}});
  EXPECT_TRUE(says(text, "the docstring of `bank.py`: “Groups are written at once, so a kill loses none.”")) << text;
}

constexpr const char* kSaveBefore = R"(def save(args, step):
    write(step)
    if args.later:
        queue(step)
    else:
        flush(step)
    if not args.later:
        log(step)
)";
constexpr const char* kSaveAfter = R"(def save(args, step):
    write(step)
    if args.later:
        queue(step)
    else:
        flush(step)
        count(step)
    if not args.later:
        log(step)
        if args.bank:
            compact(step)
)";

TEST(Sentences, NameTheUnchangedConditionsAround) {
  const std::string text = explain_of({{"a.py", kSaveBefore}}, {{"a.py", kSaveAfter}});
  EXPECT_TRUE(says(text, "calls `count(step)` where `args.later` is not set")) << text;
  EXPECT_TRUE(says(text, "nder the same condition, when `args.bank` is set, calls `compact(step)`")) << text;
}

TEST(Sentences, WhatFollowsABranchIsNotPartOfIt) {
  const std::string text = explain_of({{"a.py", "def f(x):\n    return x\n"}},
                                      {{"a.py",
                                        "def f(x):\n    if x.wide:\n        if x.ok:\n            g(x)\n        "
                                        "h(x)\n    return x\n"}});
  EXPECT_TRUE(says(text, "hen `x.wide` is set: when `x.ok` is set, calls `g(x)`; then calls `h(x)`")) << text;
}

TEST(Sentences, AStepThatOnlyStandsElsewhereMoved) {
  const std::string text = explain_of({{"a.py",
                                        "def f(x):\n    first(x)\n    between(x)\n    second(x)\n    rank = "
                                        "get_rank(x.group)\n    return third(x, rank)\n"}},
                                      {{"a.py",
                                        "def f(x):\n    rank = get_rank(x.group)\n    first(x)\n    between(x)\n    "
                                        "second(x, 1)\n    return third(x, rank)\n"}});
  EXPECT_TRUE(says(text, "oves `rank = get_rank(x.group)` up")) << text;
  EXPECT_FALSE(says(text, "o longer sets `rank`")) << text;
}

TEST(Sentences, ANewElseAroundOldStepsIsAsBefore) {
  const std::string text = explain_of({{"a.py", "def f(x):\n    y = g(x)\n    return y\n"}},
                                      {{"a.py",
                                        "def f(x):\n    if x.wide:\n        y = h(x)\n    else:\n        y = "
                                        "g(x)\n    return y\n"}});
  EXPECT_TRUE(says(text, "hen `x.wide` is set, sets `y` to `h(x)`; otherwise as before")) << text;
}

TEST(Sentences, ParametersComeTogether) {
  const std::string text = explain_of({{"a.py", "def f(x, plan):\n    return x + plan.a + plan.b\n"}},
                                      {{"a.py", "def f(x, a: int, b: int):\n    return x + a + b\n"}});
  EXPECT_TRUE(says(text, "takes `a: int` and `b: int` in place of `plan`")) << text;
}

TEST(Sentences, ConditionsOfTheWayHoldForEveryCall) {
  const Files before = {{"train.py", R"(def step(x):
    if x.split:
        grow(x)
    else:
        grow(x)


def grow(x):
    return x


if __name__ == "__main__":
    step(None)
)"}};
  Files after = before;
  after["train.py"].replace(after["train.py"].find("    return x\n"), 13, "    return x + 1\n");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "reach `grow`")) << text;
  EXPECT_FALSE(says(text, "are made only when")) << text;
}

TEST(Sentences, AShapeBelongsToTheNameThatItsCommentSpeaksOf) {
  const std::string body = R"(def f(x):
    """Do it."""
%s    # The shard (shape [rows, cols]) is cut by rank and every rank holds its own part of it.
    size = x.size(0)
    # y: [s, b, h]
    y = g(x, size)
    z = y.transpose(0, 1)  # [b, s, h]
    return z
)";
  const auto with = [&](const std::string& line) {
    std::string out = body;
    return out.replace(out.find("%s"), 2, line);
  };
  std::string after = with("    x = x + 1\n");
  after.replace(after.find("g(x, size)"), 10, "g(x, size, 1)");
  after.replace(after.find("x.size(0)"), 9, "x.size(1)");
  after.replace(after.find("transpose(0, 1)"), 15, "transpose(1, 0)");
  const std::string text = dive_of({{"a.py", with("")}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "`y` is `[s, b, h]`")) << text;
  EXPECT_TRUE(says(text, "`z` is `[b, s, h]`")) << text;
  EXPECT_FALSE(says(text, "`size` is")) << text;
}

TEST(Sentences, AGroupThatIsAskedIsNoStandIn) {
  const std::string fake = "class FakeGroup:\n    def size(self):\n        return 1\n\n\n";
  const std::string text = explain_of(
      {{"a.py", fake + "def f(x, tp_group):\n    return x\n\n\ndef main():\n    f(1, FakeGroup())\n"}},
      {{"a.py", fake + "def f(x, tp_group):\n    n = tp_group.size()\n    return g(x, n, n)\n\n\ndef main():\n    f(1, "
                       "FakeGroup())\n"}});
  EXPECT_TRUE(says(text, "ets `n` to `tp_group.size()`.")) << text;
}

TEST(Sentences, ANoteToComeBackToIsQuotedFromItsOwnWords) {
  const std::string text = explain_of({{"a.py", "def f(x):\n    return x\n"}},
                                      {{"a.py",
                                        "def f(x):\n    # The carrier is rebuilt here.\n    # TODO: remove when "
                                        "the library does it.\n    g(x)\n    return x\n"}});
  EXPECT_TRUE(says(text, "(`a.py:3`): “TODO: remove when the library does it.”")) << text;
}

TEST(Sentences, NamesThatOnlyResembleCollectivesExplainNone) {
  const std::string text =
      explain_of({{"a.py", "def f(x):\n    return x\n"}},
                 {{"a.py",
                   "def f(x):\n    g(allgather_stream=1, reduce_scatter_stream=2)\n    save_checkpoint(x)\n    "
                   "return x\n"}});
  EXPECT_FALSE(says(text, "Collectives and order")) << text;
  EXPECT_FALSE(says(text, "Activation recomputation")) << text;
}

}  // namespace
}  // namespace lockstep::render
