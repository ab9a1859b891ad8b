// The code that the documents show of a change: what is cut where there is no room for all of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "report/documents/excerpts/excerpt_lines.h"

namespace lockstep::render {
namespace {

using report::DifferenceLine;
using Lines = std::vector<std::string>;

/// A statement each, as deep as it is indented; comments and blank lines are none.
std::vector<DifferenceLine> statements(const Lines& lines) {
  std::vector<DifferenceLine> out;
  for (const std::string& line : lines) {
    DifferenceLine one;
    one.text = line;
    const std::size_t at = line.find_first_not_of(' ', 2);
    one.is_frame = line.starts_with("  def ");
    one.starts_step = at != std::string::npos && line[at] != '#';
    if (one.starts_step) one.depth = static_cast<int>(at - 2) / 4;
    out.push_back(one);
  }
  return out;
}

TEST(Excerpts, WhatFitsStaysAsItIs) {
  const Lines lines = {"  def f(x):", "-     a(x)", "+     # Why.", "+     b(x)"};
  EXPECT_EQ(report::fit_difference(statements(lines), 4), lines);
}

TEST(Excerpts, NewCodeIsTheLastToGo) {
  const Lines lines = {"  def f(x):", "-     a(x)",      "-     b(x)",      "-     c(x)",
                       "-     d(x)",  "+     # Because", "+     # of this", "+     # and that.",
                       "+     e(x)",  "+     if x:",     "+         g(x)",  "+     h(x)"};
  EXPECT_EQ(report::fit_difference(statements(lines), 6),
            (Lines{"  def f(x):", "-     \u2026 (4 more lines)", "+     # Because", "+     # of this",
                   "+     # and that.", "+     e(x)", "+     if x:", "+         g(x)", "+     h(x)"}));
}

TEST(Excerpts, WhatStaysGoesBeforeTheFewLinesThatGoAndAFoldTellsWhatItHides) {
  const Lines lines = {"  def f(x):", "      a(x)", "-     b(x)", "      c(x)",
                       "      d(x)",  "+     e(x)", "+     g(x)", "+     h(x)"};
  EXPECT_EQ(
      report::fit_difference(statements(lines), 5),
      (Lines{"  def f(x):", "      a(x)", "-     b(x)", "      \u2026", "+     e(x)", "+     g(x)", "+     h(x)"}));
  const Lines tight = report::fit_difference(statements(lines), 3);
  EXPECT_EQ(tight, (Lines{"  def f(x):", "-     b(x)", "+     e(x)", "+     g(x)", "+     h(x)"}));
}

TEST(Excerpts, OfNewCodeWhatStandsDeepestGoesFirst) {
  const Lines lines = {"+ a(x)",         "+ if x:",        "+     b(x)",     "+     if y:", "+         c(x)",
                       "+         d(x)", "+         e(x)", "+         h(x)", "+ g(x)"};
  EXPECT_EQ(report::fit_difference(statements(lines), 4),
            (Lines{"+ a(x)", "+ if x:", "+     b(x)", "+     if y:", "+         c(x)",
                   "+         \u2026 (3 more lines)", "+ g(x)"}));
}

/// What a condition is for stands below it, whole; of code that stays the condition alone may.
TEST(Excerpts, NoCutStandsRightBehindTheHeadOfABlock) {
  const Lines lines = {"+ if x:",    "+     # Why.", "+     b(",   "+         x,", "+     )",
                       "+     c(x)", "+     d(x)",   "+     e(x)", "+ a(x)",       "+ g(x)"};
  const Lines shown = report::fit_difference(statements(lines), 3);
  EXPECT_EQ(std::count(shown.begin(), shown.end(), "+     b("), 1);
  EXPECT_EQ(std::count(shown.begin(), shown.end(), "+     )"), 1);
  EXPECT_EQ(std::count(shown.begin(), shown.end(), "+     c(x)"), 0);
}

TEST(Excerpts, AStatementIsCutBetweenItsArguments) {
  const Lines lines = {"x = f(", "    a,", "    init=(", "        b", "        if c", "        else d", "    ),",
                       "    e,", "    g,", "    h,",     ")"};
  EXPECT_EQ(report::fit_statement(lines, 6), (Lines{"x = f(", "    a,", "    # ... (8 more lines)", ")"}));
  EXPECT_EQ(report::fit_statement(lines, 9), lines);
}

TEST(Excerpts, TheMiddleThatGoesHoldsWholeStatements) {
  const Lines lines = {"def f(x):",  "    a(x)", "    if x:", "        b(x)", "    c(",   "        x,",
                       "        y,", "    )",    "    d(x)",  "    e(x)",     "    g(x)", "    h(x)",
                       "    i(x)",   "    j(x)", "    k(x)",  "    l(x)"};
  const Lines shown = report::without_repetition(lines, 9, "# ...");
  EXPECT_EQ(shown, (Lines{"def f(x):", "    a(x)", "    if x:", "        b(x)", "    # ... (10 more lines)", "    k(x)",
                          "    l(x)"}));
}

TEST(Excerpts, AShortNewFunctionIsShownWhole) {
  std::string body;
  for (int i = 0; i < 11; ++i) body += "    if x > " + std::to_string(i) + ":\n        x = step(x)\n";
  const std::string text = explain_of({{"a.py", "def g(x):\n    return x\n"}},
                                      {{"a.py", "def g(x):\n    return x\n\n\ndef f(x):\n" + body + "    return x\n"}});
  EXPECT_FALSE(says(text, "more line")) << text;
  EXPECT_TRUE(says(text, "if x > 10:")) << text;
}

TEST(Excerpts, WhatOpensBracketsIsShownWithWhatClosesThem) {
  Lines lines = {"+ x = call(", "+     a,  # (", "+     b,", "+     ')',", "+     d,", "+ )"};
  std::vector<DifferenceLine> all = statements(lines);
  for (std::size_t i = 1; i < all.size(); ++i) all[i].starts_step = false;
  EXPECT_EQ(report::fit_difference(all, 1), (Lines{"+ x = call(", "+     \u2026 (4 more lines)", "+ )"}));
  // Where the line that opens them goes, all goes; the lines of both versions are told apart.
  lines = {"- before(", "-     a,", "      b,", "-     c,", "- )", "+ if x:", "+     after(a, b)", "+     y = 1"};
  all = statements(lines);
  for (std::size_t i = 0; i < 5; ++i) all[i].starts_step = false;
  EXPECT_EQ(report::fit_difference(all, 2),
            (Lines{"- \u2026 (4 more lines)", "+ if x:", "+     after(a, b)", "+     y = 1"}));
}

TEST(Excerpts, ACallThatIsOpenAtTheEndIsClosed) {
  const std::string call =
      "def f(x, y):\n    result = combine(\n        x,\n        1,\n        2,\n        3,\n        y,\n    )\n    "
      "return result\n";
  const std::string text = explain_of({{"m.py", call}}, {{"m.py", replace_all(call, "        1,\n", "        -1,\n")}});
  EXPECT_TRUE(says(text, "+         -1,\n          2,\n          \u2026\n      )\n")) << text;
}

TEST(Excerpts, WhatIsLeftOutOfAnArgumentIsNotWhatDiffers) {
  const std::string code =
      "def send(socket, records, kind):\n    socket.pack([kind.value, [one.serialize() for one in records]], True)\n   "
      " return 1\n";
  const std::string text = explain_of(
      {{"m.py", code}},
      {{"m.py", replace_all(code, "[kind.value, [one.serialize() for one in records]], True",
                            "\n        [\n            kind.value,\n            [one.merge().serialize() for one in "
                            "records],\n        ],\n        True,\n    ")}});
  EXPECT_TRUE(says(text, "one.merge().serialize()")) << text;
  EXPECT_FALSE(says(text, "],]")) << text;
}

TEST(Excerpts, AHeaderOfSeveralLinesIsShownOnce) {
  const std::string head = "def build(\n    size,\n    rng,\n    config=None,\n) -> None:\n";
  const std::string text =
      explain_of({{"m.py", head + "    keep(size)\n    make(rng)\n"}},
                 {{"m.py", head + "    # Not used.\n    del config\n    keep(size)\n    make(rng)\n"}});
  EXPECT_TRUE(says(text, "  def build(size, rng, config=None) -> None:\n+     # Not used.\n+     del config\n"))
      << text;
}

TEST(Excerpts, ABranchThatMovedIsShownAtItsNewPlace) {
  const std::string head = "def load(args, state):\n";
  const std::string read =
      "    version = state['version']\n    apply(version)\n    check(args)\n    settle(args, state)\n";
  const std::string was =
      "    if args.override is not None:\n"
      "        target = args.override\n"
      "        state['iteration'] = target\n"
      "        if 'args' in state:\n"
      "            raise RuntimeError('other batch size')\n"
      "        log_rank_0(target)\n";
  const std::string now =
      "    if args.override is not None:\n"
      "        iteration = args.override\n"
      "        if 'args' in state and not args.finetune:\n"
      "            warn('other batch size')\n"
      "        log_rank_0(iteration)\n";
  const std::string text = explain_of({{"a.py", head + was + read}}, {{"a.py", head + read + now}});
  EXPECT_TRUE(says(text, "`a.py:6-10` \u00b7 moved from line 2 of the old version")) << text;
  EXPECT_TRUE(says(text, "      if args.override is not None:\n-         target = args.override\n")) << text;
  EXPECT_TRUE(says(text, "\n+         iteration = args.override\n")) << text;
  EXPECT_FALSE(says(text, "-     if args.override is not None:")) << text;
  // And in words only what differs in it.
  EXPECT_FALSE(says(text, "No longer sets `target`")) << text;
  EXPECT_FALSE(says(text, "| `target = args.override` |")) << text;  // only another name
  EXPECT_TRUE(says(text, "| `raise RuntimeError('other batch size')` | `warn('other batch size')` |")) << text;
  EXPECT_TRUE(says(text, "| `if 'args' in state:` | `if 'args' in state and not args.finetune:` |")) << text;
}

/// A line that only moved is not shown as removed where the place that it moved to is left out.
TEST(Excerpts, AMovedLineIsNotShownAsGone) {
  std::string before = "def f(x):\n    first = [x]\n    table = make(first)\n";
  std::string after = "def f(x):\n    first = [x]\n";
  for (int i = 0; i < 40; ++i) {
    const std::string line = "    step_" + std::to_string(i) + " = x + " + std::to_string(i) + "\n";
    after += line;
  }
  after += "    table = make(first)\n";
  for (int i = 0; i < 40; ++i) after += "    later_" + std::to_string(i) + " = x - " + std::to_string(i) + "\n";
  before += "    return table\n";
  after += "    return table\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  const bool shows_old = says(text, "\n-     table = make(first)");
  const bool shows_new = says(text, "\n+     table = make(first)");
  EXPECT_TRUE(shows_new || !shows_old) << text;
}

/// Of a long new function what calls other new code stays, wherever it stands; no line is left without its statement.
TEST(Excerpts, OfALongNewFunctionWhatSaysLeastGoes) {
  std::string code = "def keep(x):\n    return x\n\n\ndef f(x):\n";
  for (int i = 0; i < 9; ++i) {
    const std::string name = "a" + std::to_string(i);
    code += "    if x." + name + ":\n        x.set(\n            x." + name + ",\n            x.b,\n        )\n";
    if (i == 4) code += "    keep(x)\n";
  }
  code += "    return x\n";
  const std::string text = explain_of({{"a.py", ""}}, {{"a.py", code}});
  EXPECT_TRUE(says(text, "    keep(x)\n")) << text;
  EXPECT_FALSE(says(text, "more lines)\n            x.b,")) << text;
}

/// What a function defines inside itself is shown with it, once.
TEST(Excerpts, AFunctionInsideAnotherIsShownOnce) {
  const auto side = [](const std::string& value) {
    return "def save(x, path):\n    if x > " + value +
           ":\n        x = x * 2\n\n    def finish():\n        print(path)\n        print(" + value +
           ")\n        return x\n\n    return finish\n\n\nif __name__ == '__main__':\n    save(1, 'a')()\n";
  };
  const std::string text = explain_of({{"a.py", side("1")}}, {{"a.py", side("2")}});
  EXPECT_TRUE(says(text, "+         print(2)\n")) << text;
  EXPECT_FALSE(says(text, "### `save.finish`")) << text;
}

/// The short new function that the lead calls is part of what it does.
TEST(Excerpts, AShortNewFunctionIsShownBelowTheCodeThatCallsIt) {
  const auto side = [](const std::string& functions, const std::string& call) {
    return functions + "class Router:\n    def route(self, loads):\n        if len(loads) > 1:\n            return " +
           call +
           "\n        return 0\n\n    def drop(self, loads, gone):\n        return [x for x in loads if x != "
           "gone]\n\n\n"
           "if __name__ == '__main__':\n    Router().route([1])\n";
  };
  const std::string before = side("", "loads[0]");
  std::string after = side("def least_loaded(loads):\n    return loads.index(min(loads))\n\n\n", "least_loaded(loads)");
  after = replace_all(after, "len(loads) > 1", "len(loads) > 2");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "    return loads.index(min(loads))")) << text;
}

/// A list that takes something up is written to as an attribute that is set.
TEST(Excerpts, WhatAContainerTakesUpIsWritten) {
  const auto side = [](const std::string& more) {
    return "class Pool:\n    def __init__(self):\n        self.ranks = []\n        self.count = 0\n\n"
           "    def remove(self, rank):\n        self.count = self.count - 1\n" +
           more + "        return rank\n\n\nif __name__ == '__main__':\n    Pool().remove(1)\n";
  };
  const std::string text = explain_of(
      {{"a.py", side("")}},
      {{"a.py",
        side("        if rank > 0:\n            self.ranks.remove(rank)\n        self.count = max(self.count, 0)\n")}});
  EXPECT_TRUE(says(text, "`self.count`, `self.ranks`")) << text;
}

/// Where not all finds room, what changed does before what stands beside it, and a block is not cut behind its header.
TEST(Excerpts, WhatChangedComesBeforeWhatStandsBesideIt) {
  const auto side = [](const std::string& callee, const std::string& end) {
    std::string text = "def run(x):\n";
    for (int i = 0; i < 14; ++i) {
      const std::string n = std::to_string(i);
      text += "    a" + n + " = near(x, " + n + ")\n    b" + n + " = " + callee + "(x, a" + n + ")\n    c" + n +
              " = beside(b" + n + ")\n    d" + n + " = far(c" + n + ")\n    e" + n + " = farther(d" + n + ")\n";
    }
    return text + end;
  };
  const std::string text =
      dive_of({{"a.py", side("one", "    return e1\n")}},
              {{"a.py", side("two", "    with scope(x):\n        ledger = merge(e1)\n    return e1, ledger\n")}});
  EXPECT_TRUE(says(text, "        ledger = merge(e1)\n")) << text;
  EXPECT_TRUE(says(text, "    return e1, ledger\n")) << text;
}

/// The header of what enters the changed code: without parameters nothing of it is left out.
TEST(Excerpts, TheHeaderOfACallerWithoutParametersStaysWhole) {
  const auto side = [](const std::string& value) {
    return "def work(x):\n    return " + value + "\n\n\ndef main() -> None:\n    work(3)\n\n\n" +
           "if __name__ == '__main__':\n    main()\n";
  };
  const std::string text = dive_of({{"run.py", side("x + 1")}}, {{"run.py", side("x + 2")}});
  EXPECT_TRUE(says(text, "def main() -> None:\n    work(3)  # <-- enters work\n")) << text;
}

/// Of a long comment the lines stay that are quoted as the reason; of others only the first ones.
TEST(Excerpts, WhatIsQuotedOfACommentIsShown) {
  const auto with = [](const std::string& reason) {
    return explain_of(
        {{"a.py", "def gather(weights, ready):\n    return weights.data\n"}},
        {{"a.py",
          "def gather(weights, ready):\n    # Wait until the copy of the weights is through. This one\n"
          "    # is made on a stream of its own.\n" +
              reason +
              "    #\n    # The first row has the sizes of all others, and it comes from the writer of the file, with "
              "the\n"
              "    # names of the columns, their order, and the day on which each of them was written by one of the\n"
              "    # ranks of the run. The second row has the names of the ranks, the third one those of the nodes on\n"
              "    # which they ran at that time.\n"
              "    if ready is not None:\n        ready(weights)\n    return weights.data\n"}},
        "Fix a race of the copy of weights");
  };
  const std::string hazard =
      "    # The hook of the module may not have run yet, and the\n    # weights can still hold what the last step "
      "left.\n";
  const std::string text = with(hazard);
  EXPECT_TRUE(says(text,
                   "\n+     # The hook of the module may not have run yet, and the\n"
                   "+     # weights can still hold what the last step left.\n"))
      << text;
  EXPECT_TRUE(says(text, "\n+     # \u2026 (5 more lines)\n")) << text;
  const std::string plain =
      with("    # Rows stand in the order of the file,\n    # and columns in that of the table.\n");
  EXPECT_FALSE(says(plain, "+     # Rows stand in")) << plain;
}

/// A block that stands elsewhere in the function, with something that it held, is neither gone nor new.
TEST(Excerpts, ABlockThatStandsElsewhereMoved) {
  const std::string block = "        with self.pool():\n            self.buffer = Buffer(sizes, dtype=self.dtype)\n";
  const std::string rest =
      "        if self.dtype == 1:\n            self.weight = self.main\n        else:\n            self.weight = "
      "self.main.cast(self.dtype)\n        self.kept = [self.weight.part(size) for size in sizes]\n";
  const std::string head = "class Group:\n    def __init__(self, sizes, dtype):\n        self.dtype = dtype\n";
  const std::string last = "        self.count = len(sizes)\n";
  const std::string text = dive_of({{"m.py", head + block + rest + last}}, {{"m.py", head + rest + block + last}});
  EXPECT_FALSE(says(text, "# REMOVED: with self.pool():")) << text;
  EXPECT_FALSE(says(text, "[NEW]: under `self.pool()`")) << text;
  // One around something else is another one.
  const std::string other = replace_all(block, "self.buffer = Buffer(sizes, dtype=self.dtype)", "self.make(sizes, 3)");
  const std::string its = dive_of({{"m.py", head + block + rest + last}}, {{"m.py", head + rest + other + last}});
  EXPECT_TRUE(says(its, "# REMOVED: with self.pool():")) << its;
}

/// What was raised before, to the letter, is not raised anew where something else is asked.
TEST(Excerpts, ARaiseThatStoodThereIsNoNewAssumption) {
  const std::string before =
      "def run(self, kind, x):\n    if kind == 1:\n        x = x + 1\n    elif kind == 2:\n        x = x * 2\n    "
      "else:\n"
      "        raise ValueError(kind)\n    return x\n";
  const std::string after =
      "def run(self, kind, x):\n    step = self.steps.get(kind)\n    if step is None:\n        raise ValueError(kind)\n"
      "    return step(x)\n";
  const std::string text = dive_of({{"m.py", before}}, {{"m.py", after}});
  EXPECT_FALSE(says(text, "Assumption [NEW]")) << text;
  EXPECT_TRUE(says(text, "Assumption [MODIFIED]: when `step` is `None`, raises `ValueError`")) << text;
  const std::string other = dive_of({{"m.py", before}}, {{"m.py", replace_all(after, "ValueError", "KeyError")}});
  EXPECT_TRUE(says(other, "Assumption [NEW]")) << other;
}

/// An `else` below a branch that is left out would read as that of the one before.
TEST(Excerpts, AnElseIsShownWithTheHeaderThatItGoesOn) {
  const auto code = [](const std::string& value) {
    std::string out = "def restore(x, fused, ordered):\n    if fused:\n        return fuse(x)\n";
    for (int i = 0; i < 40; ++i) out += "    x = step_" + std::to_string(i) + "(x)\n";
    out += "    if ordered:\n";
    for (int i = 0; i < 6; ++i) out += "        x = order_" + std::to_string(i) + "(x)\n";
    return out + "    else:\n        x = " + value + "\n    return x\n";
  };
  const std::string text = dive_of({{"a.py", code("add(x)")}}, {{"a.py", code("add(x, 1)")}});
  EXPECT_TRUE(says(text, "    if ordered:\n        # ...\n    else:\n")) << text;
}

}  // namespace
}  // namespace lockstep::render
