// Sentences of the documents that went wrong once: each on a change small enough to see what it must say.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "render/markdown.h"
#include "report/author/why.h"
#include "report/documents/dive.h"
#include "report/documents/explain.h"
#include "report/review/summary.h"
#include "report/source/code.h"

namespace lockstep::render {
namespace {

// A new value has no documentation but the comment above it, whatever its words for a reason are.
TEST(Sentences, TheCommentAboveANewVariableSaysWhy) {
  const auto why = [](const std::string& comment) {
    const std::string call = "def run(x):\n    return start(x)\n";
    return explain_of({{"a.py", call}}, {{"a.py", "# " + comment + "\nLIMIT = 4 * 60\n\n\n" +
                                                      replace_all(call, "(x)\n", "(x, LIMIT)\n")}});
  };
  EXPECT_TRUE(says(why("Scopes that run whole trainings and need a long budget of time."),
                   "the comment above `LIMIT` (`a.py:1`): “Scopes that run whole trainings"));
  EXPECT_FALSE(says(why("The limit of all runs of this kind, in seconds."), "the comment above"));
}

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

// Rows of columns in a comment are no sentences: in one line they say nothing.
TEST(Sentences, RowsOfColumnsAreNotQuoted) {
  const std::string was = "def f(x):\n    return x\n";
  const std::string comment =
      "    # The sum takes two hops, and the first one types it:\n    #\n"
      "    #                first     second\n    #   wide         fp32  --->  fp32\n    #\n"
      "    # This widens the first, so that the second no longer rounds because of it.\n    x = x.float()\n";
  const std::string text =
      explain_of({{"a.py", was}}, {{"a.py", replace_all(was, "    return", comment + "    return")}});
  EXPECT_TRUE(says(text, "types it: \u2026 This widens the first, so that the second no longer rounds because of it."))
      << text;
  const std::size_t quote = text.find("\u201c");
  ASSERT_NE(quote, std::string::npos);
  EXPECT_FALSE(says(text.substr(quote, text.find("\u201d", quote) - quote), "fp32")) << text;
}

TEST(Sentences, AnOptionIsCalledByItsDestinationAndAnImportsCommentIsNoReason) {
  const std::string before = "def arguments(parser):\n    parser.add_argument('--lr', type=float)\n";
  const std::string text =
      explain_of({{"a.py", before}},
                 {{"a.py", before + "    parser.add_argument('--output-dtype', dest='logit_dtype', default=None)\n"
                                    "    # Needed here because both files import each other.\n    import json\n"
                                    "    return json\n"}});
  EXPECT_TRUE(says(text, "`logit_dtype` (new, `a.py:3`), argument `--output-dtype`, default `None`")) << text;
  EXPECT_FALSE(says(text, "`output_dtype`")) << text;
  EXPECT_FALSE(says(text, "“Needed here because")) << text;
}

TEST(Sentences, ALineIsShownWhereNoDefinitionHasCodeOfItsOwn) {
  const std::string imports =
      explain_of({{"a.py", "try:\n    from fast import f, g\nexcept ImportError:\n    f = None\n    g = None\n"}},
                 {{"a.py", "from own import f\n\ntry:\n    from fast import g\nexcept ImportError:\n    g = None\n"}});
  // What stands for an import where it fails is no definition.
  EXPECT_TRUE(says(imports, "No Python definition changes.")) << imports;
  EXPECT_TRUE(says(imports, "+ from own import f\n")) << imports;
  const std::string empty = explain_of(
      {}, {{"b.py", "class Layer(Config):\n    \"\"\"A layer.\n\n    Its fields are Config's.\n    \"\"\"\n"}});
  EXPECT_TRUE(says(empty, "+ class Layer(Config):\n")) << empty;
}

TEST(Sentences, AClassesDiagramHoldsWholeTypesAndEachMemberOnce) {
  const std::string text = dive_of({{"a.py", "class Cache:\n    size: int\n"}},
                                   {{"a.py",
                                     "class Cache:\n    size: int\n"
                                     "    group: torch.distributed.ProcessGroup\n"
                                     "    other: dict[torch.distributed.ProcessGroup, torch.Tensor]\n"
                                     "try:\n    HAVE = True\nexcept ImportError:\n    HAVE = False\n"}});
  EXPECT_TRUE(says(text, "+group: torch.distributed.ProcessGroup NEW\n")) << text;
  EXPECT_TRUE(says(text, "+other: dict[torch.distributed.ProcessGroup, \u2026] NEW\n")) << text;
  const std::size_t first = text.find("+HAVE NEW");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("+HAVE NEW", first + 1), std::string::npos) << text;
}

// What was run is no reason, but for the issue that is named there; a table is quoted neither with its caption nor with
// the rest of a row that was wrapped.
TEST(Why, LeavesOutTestsAndTables) {
  const std::vector<std::string> paragraphs = report::without_boilerplate(
      "## Summary\n- skip empty parameters\n\n## Testing\n- `pytest -q tests/test_a.py`\n\nFixes #82\n\n## Cost\nIt is "
      "faster where tokens are many.\n\n**Performance**:\n\nSwiGLU Benchmark\n\n| Tokens | Time\n(us) |\n|---|---|\n| "
      "8 | 3 "
      "|\n\nNothing else changes here.\n",
      "");
  EXPECT_EQ(paragraphs,
            (std::vector<std::string>{"\u2022 skip empty parameters", "Fixes #82",
                                      "Cost: It is faster where tokens are many.", "Nothing else changes here."}));
}

// Short as they are, an item, a sentence and an issue are no captions.
TEST(Why, KeepsWhatIsNoCaption) {
  const std::vector<std::string> paragraphs = report::without_boilerplate(
      "Fix the router.\n\n- less memory\n\nFixes #7\n\nTimes\n\n| a | b |\n|---|---|\n", "");
  EXPECT_EQ(paragraphs, (std::vector<std::string>{"Fix the router.", "\u2022 less memory", "Fixes #7"}));
}

TEST(Sentences, ALineThatStartsWithAnOperatorIsNoItem) {
  const std::vector<std::string> paragraphs = report::without_boilerplate(
      "- Reject degrees that do not divide dp\n  * cp * tp ranks.\n- Reject the rest.\n\nSizes are dp\n* cp.\n\n"
      "Also:\n- one\n- two\n");
  const std::vector<std::string> wanted = {"\u2022 Reject degrees that do not divide dp * cp * tp ranks.",
                                           "\u2022 Reject the rest.",
                                           "Sizes are dp * cp.",
                                           "Also:",
                                           "\u2022 one",
                                           "\u2022 two"};
  EXPECT_EQ(paragraphs, wanted) << fmt::format("{}", fmt::join(paragraphs, "|"));
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
  EXPECT_TRUE(says(text, "no reason was found")) << text;
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

// What a new test says was wrong before is why something was mended, wherever in the test it stands.
TEST(Why, WhatATestSaysWasWrongBeforeIsQuotedFirst) {
  const std::string code = "def drop(group):\n    return not group\n";
  const auto told = [&](const std::string& above, const std::string& inside) {
    return explain_of({{"a.py", code}},
                      {{"a.py", replace_all(code, "not group", "len(group) == 0")},
                       {"tests/test_a.py",
                        "import pytest\n\nfrom a import drop\n\n\n@pytest.mark.parametrize(\n    'x',\n"
                        "    [\n" +
                            above + "        [],\n    ],\n)\ndef test_drop(x):\n" + inside + "    assert drop(x)\n"}});
  };
  const std::string used = told("        # A failed episode used to crash the sum with a TypeError.\n", "");
  EXPECT_TRUE(says(used, "the test `test_drop` (`tests/test_a.py:9`): \u201cA failed episode used to crash the sum"))
      << used;
  const std::string fix = told("", "    # Pre-fix, this call killed the whole stage.\n");
  EXPECT_TRUE(says(fix, "\u201cPre-fix, this call killed the whole stage.\u201d")) << fix;
  const std::string helper = explain_of(
      {{"a.py", code}}, {{"a.py", replace_all(code, "not group", "len(group) == 0")},
                         {"tests/test_a.py",
                          "from a import drop\n\n\ndef _worker(rank):\n    \"\"\"An empty group is dropped.\n\n"
                          "    Guards a silent failure: a group of None was kept on every rank.\n    \"\"\"\n"
                          "    assert drop([])\n\n\ndef test_drop():\n    run(_worker, 4)\n"}});
  EXPECT_TRUE(
      says(helper, "the helper of tests `_worker` (`tests/test_a.py:7`): \u201cGuards a silent failure: a group of"))
      << helper;
  const std::string plain = told("        # The list is used to hold the rows of one group.\n", "");
  EXPECT_FALSE(says(plain, "\u201cThe list is used")) << plain;
}

// Notes on how parts of a module are made are no reason where its text gives one.
TEST(Why, NotesOfAModuleComeBehindItsText) {
  const std::string text =
      explain_of({{"a.py", "X = 1\n"}},
                 {{"a.py", "X = 1\n"},
                  {"bank.py",
                   "\"\"\"Bank of groups.\n\nGroups are written at once, so a kill loses none.\n\n"
                   "NOTE: the format mirrors another one because that cannot be imported here.\n\"\"\"\n\n\n"
                   "def put(group):\n    with open(group) as f:\n        return f.read()\n"}});
  EXPECT_TRUE(says(text, "the docstring of `bank.py`: \u201cGroups are written at once, so a kill loses none.\u201d"))
      << text;
  EXPECT_FALSE(says(text, "mirrors another one")) << text;
}

// The sentence that says why, not the first that has a word of reasons in it; at most two of a text.
TEST(Why, TheSentenceThatSaysWhyIsQuoted) {
  const std::string text = explain_of(
      {{"a.py", "X = 1\n"}}, {{"a.py", "X = 1\n"},
                              {"bank.py",
                               "\"\"\"Bank of groups.\n\nGroups stand in rows, so each of them is found at once.\n\n"
                               "Rows are kept whole on every rank. This trades memory for fewer messages.\n\"\"\"\n\n\n"
                               "def put(group):\n    # Rows have no order, so this is None.\n    order = None\n"
                               "    with open(group) as f:\n        return f.read(order)\n"}});
  EXPECT_TRUE(says(text,
                   "the docstring of `bank.py`: “Rows are kept whole on every rank. This trades memory for fewer "
                   "messages.”"))
      << text;
  EXPECT_FALSE(says(text, "Groups stand in rows")) << text;
  EXPECT_FALSE(says(text, "so this is None.”")) << text;
}

TEST(Why, NewDocumentsGiveReasonsBeforeTheirSections) {
  const std::string text =
      explain_of({{"a.py", "def f(x):\n    return x\n"}},
                 {{"a.py", "def f(x):\n    return x + 1\n"},
                  {"docs/bank.md",
                   "# Bank\n\nThe **bank** keeps rows on disk, because memory is short.\n\n```\nrun it because\n```\n\n"
                   "## Usage\n\nCall it twice, because the first call only warms up.\n\n"
                   "## Motivation\n\nEvery restart lost the rows of a day.\n"}});
  EXPECT_TRUE(says(text,
                   "`docs/bank.md:3`: “The bank keeps rows on disk, because memory is short. … Every restart lost the "
                   "rows of a day.”"))
      << text;
  EXPECT_FALSE(says(text, "warms up")) << text;
}

TEST(Why, ACommentAboveANewMethodGivesReasonsUnlessItStoodElsewhere) {
  const std::string comment = "    # Kept apart from the rest so that one kill\n    # does not take both with it.\n";
  const std::string method = "    def put(self, x):\n        with open(x) as f:\n            return f.read()\n";
  const auto text_of = [&](const std::string& before) {
    return explain_of({{"a.py", "class Bank:\n" + before + "    size = 1\n"}},
                      {{"a.py", "class Bank:\n    size = 1\n\n" + comment + method}});
  };
  EXPECT_TRUE(says(text_of(""),
                   "the comment above `Bank.put` (`a.py:4`): “Kept apart from the rest so that one kill does not take "
                   "both with it.”"))
      << text_of("");
  EXPECT_FALSE(says(text_of(comment), "so that one kill")) << text_of(comment);
}

TEST(Why, TheModuleOfANewBaseIsQuotedAsOlder) {
  const std::string shared =
      "\"\"\"What banks share.\n\nNew banks should derive from this rather than count rows themselves.\n\"\"\"\n\n\n"
      "class Shared:\n    def run(self, x):\n        return self.put(x)\n";
  const std::string text = explain_of(
      {{"shared.py", shared}, {"a.py", "class Bank:\n    def put(self, x):\n        return x\n"}},
      {{"shared.py", shared},
       {"a.py", "from shared import Shared\n\n\nclass Bank(Shared):\n    def put(self, x):\n        return x\n"}});
  EXPECT_TRUE(says(text,
                   "Written before the change, the docstring of `shared.py`, the module of `Shared`, from which `Bank` "
                   "derives now, says: “New banks should derive from this rather than count rows themselves.”"))
      << text;
}

// Under "Trade-offs" stands what the change's own words name as limits, with its place.
TEST(Limits, SectionsAndSentencesThatNameThemAreQuoted) {
  const std::string text =
      dive_of({{"a.py", "X = 1\n"}},
              {{"a.py", "X = 1\n"},
               {"bank.py",
                "\"\"\"Bank of groups.\n\nLimitations\n-----------\nOne node holds all groups. Rows are never moved to "
                "another.\n\n"
                "Design\n------\nRows are sorted. The bank differs from a store in two ways:\n\n"
                "* It keeps rows in memory.\n* It has no index.\n\"\"\"\n\n\n"
                "def put(group):\n    # A copy makes it safe at the cost of a second buffer.\n    rows = group.copy()\n"
                "    # TODO: drop the copy once groups are frozen.\n    return rows\n"},
               {"docs/bank.md", "# Bank\n\n## Known issues\n\nGroups that are empty take a row of the bank.\n"}});
  EXPECT_TRUE(says(text,
                   "**Trade-offs:** “One node holds all groups. Rows are never moved to another.” (`bank.py:5`) "
                   "“Groups that are empty take a row of the bank.” (`docs/bank.md:5`) "
                   "“The bank differs from a store in two ways: It keeps rows in memory. …” (`bank.py:9`) "
                   "“A copy makes it safe at the cost of a second buffer.” (`bank.py:17`)"))
      << text;
}

// Paragraphs, items and comments that begin with a label of limits are quoted with what stands behind it.
TEST(Limits, WhatALabelAnnouncesIsQuoted) {
  const Files before = {{"a.py", "def f(x):\n    return x\n"}, {"docs/a.md", "# A\n\nRows are read.\n"}};
  const Files after = {
      {"a.py", "def f(x):\n    # Caveat: rows of odd length go through a copy of the whole table.\n    return x + 1\n"},
      {"docs/a.md",
       "# A\n\nRows are read.\n\n- **Order**: rows stay in the order of the file.\n- **Cost**: the second read of a "
       "row "
       "waits\n  for the first. Small where rows are few.\n- **Not covered \u2014 capture**: nothing is read during a "
       "capture.\n\n**Drawbacks.** A table is held twice while it is read.\n\nCost of a row: it is read from the "
       "disk.\n"}};
  const std::string text = dive_of(before, after);
  EXPECT_TRUE(says(text, "\u201cCaveat: rows of odd length go through a copy of the whole table.\u201d (`a.py:2`)"))
      << text;
  EXPECT_TRUE(says(text,
                   "\u201cCost: the second read of a row waits for the first. Small where rows are few.\u201d "
                   "(`docs/a.md:6`) \u201cNot covered \u2014 capture: nothing is read during a capture.\u201d "
                   "(`docs/a.md:8`) \u201cDrawbacks. A table is held twice while it is read.\u201d (`docs/a.md:10`)"))
      << text;
  EXPECT_FALSE(says(text, "\u201cOrder:")) << text;
  EXPECT_FALSE(says(text, "\u201cCost of a row")) << text;
  // What it costs stands with performance, in explain.
  const std::string explained = explain_of(before, after);
  EXPECT_LT(explained.find("**Performance**"), explained.find("\u201cCost: the second read")) << explained;
  EXPECT_GT(explained.find("**Performance**"), explained.find("\u201cNot covered")) << explained;
  // Lines that stood there are none of the change's.
  Files later = after;
  later["a.py"] = "def f(x):\n    return x + 2\n";
  EXPECT_TRUE(says(dive_of(after, later), "no sentence of the change was recognised as naming one"));
}

// A limit that goes, code that was commented out, and a line of a string that begins like a comment are none.
TEST(Limits, LimitsThatGoAndCodeAreNone) {
  const std::string text = dive_of({{"a.py", "def f(x):\n    return x\n"}},
                                   {{"a.py",
                                     "def f(x):\n    # Rows of odd length are no longer a limitation of it.\n"
                                     "    # raise ValueError(\"rows of odd length are not supported\")\n"
                                     "    y = \"\"\"\n# The tables of the old kind are not supported.\n\"\"\"\n"
                                     "    return x + 1, y\n"}});
  EXPECT_TRUE(says(text, "**Alternatives and trade-offs:** no sentence of the change was recognised as naming one"))
      << text;
}

// An item may follow its mark without a blank.
TEST(Limits, ItemsMayFollowTheirMarkAtOnce) {
  const std::string text =
      dive_of({{"a.py", "X = 1\n"}},
              {{"a.py", "X = 2\n"},
               {"docs/a.md", "# A\n\n## Known issues\n\n\u2022Rows of odd length take twice the time.\n\u2022x\n"}});
  EXPECT_TRUE(says(text, "Rows of odd length take twice the time.")) << text;
}

TEST(Limits, ComparisonsAndSavingsAreNone) {
  const std::string text = dive_of({{"a.py", "def f(x):\n    return x\n"}},
                                   {{"a.py",
                                     "def f(x):\n    # Refuse it where the hash differs from the stored one.\n"
                                     "    check(x)\n    # One call avoids the overhead of many small ones.\n"
                                     "    return x + 1\n"}});
  EXPECT_TRUE(says(text, "**Alternatives and trade-offs:** no sentence of the change was recognised as naming one"))
      << text;
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
  const auto text_with = [](const std::string& inner) {
    return explain_of({{"a.py", "def f(x):\n    return x\n"}},
                      {{"a.py", "def f(x):\n    if x.wide:\n" + inner + "        h(x)\n    return x\n"}});
  };
  const std::string branch = text_with("        if x.ok:\n            g(x)\n");
  EXPECT_TRUE(says(branch, "hen `x.wide` is set: when `x.ok` is set, calls `g(x)`; either way, calls `h(x)`"))
      << branch;
  // A run that leaves does not come there.
  const std::string leaves = text_with("        if x.ok:\n            g(x)\n            return x\n");
  EXPECT_TRUE(says(leaves, "returns `x`; then calls `h(x)`")) << leaves;
  EXPECT_FALSE(says(leaves, "either way")) << leaves;
  const std::string nested = text_with(
      "        if x.ok:\n            if x.all:\n                raise ValueError(x)\n"
      "            g(x)\n");
  EXPECT_FALSE(says(nested, "either way, calls `h(x)`")) << nested;
  const std::string loop = text_with("        for y in x:\n            g(y)\n");
  EXPECT_TRUE(says(loop, "calls `g(y)`; after the loop, calls `h(x)`")) << loop;
}

/// An edit under a condition, and one that has none.
TEST(Sentences, WhatHasNoConditionBeginsASentenceBehindWhatHasOne) {
  const std::string before = "def f(x, y):\n    g(x)\n    return x\n";
  const auto text_with = [&](const std::string& body) {
    return explain_of({{"a.py", before}}, {{"a.py", "def f(x, y):\n" + body + "    return x\n"}});
  };
  const std::string apart = text_with("    if y:\n        k(y)\n    g(x)\n    h(x)\n");
  EXPECT_TRUE(says(apart, "when `y` is set, calls `k(y)`. Calls `h(x)`.")) << apart;
  const std::string both = text_with("    if y:\n        k(y)\n        h(x)\n    g(x)\n");
  EXPECT_TRUE(says(both, "when `y` is set, calls `k(y)` and calls `h(x)`.")) << both;
  const std::string first = text_with("    h(x)\n    g(x)\n    if y:\n        k(y)\n");
  EXPECT_TRUE(says(first, "calls `h(x)`; when `y` is set, calls `k(y)`.")) << first;
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

TEST(Sentences, ACheckOfAFunctionThatGoesIsNotNew) {
  const std::string was =
      "class Mixer:\n"
      "    def forward(self, x):\n        return self._step(x)\n\n"
      "    def _step(self, x):\n"
      "        ok = supported(x)\n        assert ok\n"
      "        assert self.cp_size == 1, \"Context parallel is not supported\"\n        return shared(x)\n";
  const std::string now =
      "class Mixer:\n"
      "    def forward(self, x):\n"
      "        ok = supported(x)\n        assert ok\n"
      "        assert (self.cp_size == 1), \"Context parallel is not supported\"\n        return shared_step(x)\n";
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_FALSE(says(text, ", check |")) << text;
  EXPECT_TRUE(says(text, "akes over 3 steps of `Mixer._step`")) << text;
}

TEST(Sentences, WhatAMessageSaysExplainsNoConcept) {
  EXPECT_EQ(report::without_prose("warn('recomputes it', key='recompute')  # recompute"),
            "warn('', key='recompute')  ");
  EXPECT_EQ(report::without_prose("f(\"\"\"a b\"\"\", 'it\\'s a') + x"), "f(\"\"\"\"\"\", '') + x");
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
  EXPECT_FALSE(says(text, "This way is taken when")) << text;
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
  const std::string text = dive_of(
      {{"a.py", fake + "def f(x, tp_group):\n    return x\n\n\ndef main():\n    f(1, FakeGroup())\n"}},
      {{"a.py", fake + "def f(x, tp_group):\n    n = tp_group.size()\n    return g(x, n, n)\n\n\ndef main():\n    f(1, "
                       "FakeGroup())\n"}});
  EXPECT_TRUE(says(text, "ets `n` to `tp_group.size()`;")) << text;
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

TEST(Sentences, ANewClassIsToldAsOne) {
  const std::string text = explain_of({{"a.py", "X = 1\n"}}, {{"a.py", R"(X = 1


class Bank:
    """Keeps groups."""

    def __init__(self, path):
        self.path = path
        self.open(path)

    def put(self, group):
        """Write one group."""
        if group is None:
            return
        self.path.write(group)

    def _flush(self):
        """Bring all to disk."""
        self.path.flush()

    def open(self, path):
        """Open the file."""
        self.file = path
)"}});
  EXPECT_TRUE(says(text, "- `Bank` (new, `a.py:4`), a class of 4 methods: “Keeps groups.”")) << text;
  EXPECT_TRUE(says(text, "| `put` | 11 | “Write one group.” |")) << text;
  EXPECT_TRUE(says(text, "| `_flush` | 17 | “Bring all to disk.” |")) << text;
}

TEST(Sentences, CodeThatAnotherFunctionNowHasIsHandedOver) {
  const std::string steps =
      "    first = gather(x)\n    second = split(first)\n    third = join(second)\n    fourth = cut(third)\n";
  const std::string text =
      explain_of({{"a.py", "def f(x):\n" + steps + "    return fourth\n"}},
                 {{"a.py", "def f(x):\n    return build(x)\n\n\ndef build(x):\n" + steps + "    return fourth\n"}});
  EXPECT_TRUE(says(text, "moves 4 steps to `build`")) << text;
  EXPECT_FALSE(says(text, "o longer sets `second`")) << text;
}

TEST(Sentences, TheSameEditInSeveralPlacesIsToldOnce) {
  const std::string text =
      explain_of({{"a.py", "def f(x):\n    if x.a:\n        old(x)\n    if x.b:\n        old(x)\n    return x\n"}},
                 {{"a.py", "def f(x):\n    if x.a:\n        new(x)\n    if x.b:\n        new(x)\n    return x\n"}});
  EXPECT_TRUE(says(text, ", in 2 places")) << text;
}

TEST(Sentences, BothSidesOfABranchAreOneBlockOfTheSequence) {
  const std::string text =
      explain_of({{"a.py", "def f(x):\n    return x\n\n\ndef g(x):\n    return x\n\n\ndef h(x):\n    return x\n"}},
                 {{"a.py",
                   "def f(x):\n    if x.wide:\n        g(x)\n    else:\n        h(x)\n    "
                   "return x\n\n\ndef g(x):\n    return x\n\n\ndef h(x):\n    return x\n"}});
  EXPECT_TRUE(says(
      text, "    alt when x.wide is set\n        p0->>p0: g(x)\n    else otherwise\n        p0->>p0: h(x)\n    end\n"))
      << text;
}

TEST(Sentences, AWrapperIsNoWayToWhateverItWraps) {
  std::string functions;
  std::string calls;
  for (const char* name : {"one", "two", "three", "four", "five"}) {
    functions += std::string("@traced\ndef ") + name + "(x):\n    return x\n\n\n";
  }
  const std::string source =
      "def traced(function):\n    def wrapper(x):\n        return function(x)\n\n    return "
      "wrapper\n\n\n" +
      functions + "if __name__ == \"__main__\":\n    one(1)\n";
  std::string after = source;
  after.replace(after.find("def five(x):\n    return x"), 25, "def five(x):\n    return 5");
  const std::string text = explain_of({{"a.py", source}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, "`traced.wrapper` (`a.py:2`) → `five`")) << text;
}

TEST(Sentences, TheScriptOfTheSameSubjectIsTheEntry) {
  Files before = {
      {"pretrain.py", "from lib.engine.core import serve\n\nif __name__ == \"__main__\":\n    serve(1)\n"},
      {"examples/engine/run.py", "from lib.engine.core import serve\n\nif __name__ == \"__main__\":\n    serve(2)\n"},
      {"README.md", "pretrain.py pretrain.py pretrain.py\n"},
      {"lib/__init__.py", ""},
      {"lib/engine/__init__.py", ""},
      {"lib/engine/core.py", "def serve(x):\n    return x\n"}};
  for (int i = 0; i < 10; ++i) before[fmt::format("lib/part{}.py", i)] = "A = 1\n";
  Files after = before;
  after["lib/engine/core.py"] = "def serve(x):\n    return x + 1\n";
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "reach `serve`: `examples/engine/run.py` →")) << text;
}

TEST(Sentences, AWordOfTheFilesOwnNameIsNoSubject) {
  const std::string run = "from lib.engine.hybrid_core import serve\n\nif __name__ == \"__main__\":\n    serve(1)\n";
  Files before = {{"pretrain.py", run},
                  {"examples/pretrain_hybrid.py", run},
                  {"README.md", "pretrain.py pretrain.py pretrain.py\n"},
                  {"lib/__init__.py", ""},
                  {"lib/engine/__init__.py", ""},
                  {"lib/engine/hybrid_core.py", "def serve(x):\n    return x\n"}};
  for (int i = 0; i < 10; ++i) before[fmt::format("lib/part{}.py", i)] = "A = 1\n";
  Files after = before;
  after["lib/engine/hybrid_core.py"] = "def serve(x):\n    return x + 1\n";
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "reach `serve`: `pretrain.py` →")) << text;
}

TEST(Sentences, AMovedFunctionShowsOnlyWhatDiffersInIt) {
  const std::string body = "    one = a(x)\n    two = b(one)\n    three = c(two)\n";
  const std::string helper = "def helper(x):\n    return x\n\n\n";
  const std::string text = explain_of(
      {{"a.py", "def f(x):\n" + body + "    return three\n\n\n" + helper}},
      {{"a.py", helper + "def g(x):\n    return helper(x)\n\n\ndef f(x):\n" + body + "    return g(three)\n"}});
  EXPECT_TRUE(says(text, "-     return three\n+     return g(three)\n")) << text;
  EXPECT_FALSE(says(text, "- def f(x):")) << text;
}

TEST(Sentences, WhatDiffersBehindALongWordIsShown) {
  const std::string longer = "every_one_of_the_applicable_settings_by_their_storage_axis_in_order.items()";
  const std::string text = explain_of(
      {{"a.py", "def f(x):\n    axes = [axis for axis in (" + longer + ") if kind(axis) is Cut]\n    return axes\n"}},
      {{"a.py", "def f(x):\n    axes = [axis for axis in (" + longer +
                    ") if kind(axis) in (Cut, Strided)]\n    return axes[1:]\n"}});
  EXPECT_TRUE(says(text, "Strided")) << text;
  EXPECT_TRUE(says(text, "is Cut]` ")) << text;
}

TEST(Sentences, AnElseIsToldOnceInNewCode) {
  const std::string text = parts_of({{"a.py", "X = 1\n"}}, {{"a.py", R"(X = 1


def f(x):
    if x.wide:
        y = g(x)
    else:
        y = h(x)
    return y
)"}});
  const std::size_t first = text.find("therwise, sets `y` to `h(x)`");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("therwise, sets `y`", first + 1), std::string::npos) << text;
}

TEST(Sentences, ADocstringOfParametersIsNoPurpose) {
  const std::string text = explain_of(
      {{"a.py", "X = 1\n"}},
      {{"a.py",
        "X = 1\n\n\ndef f(x):\n    \"\"\"\n    Args:\n        x: what it takes.\n    \"\"\"\n    return g(x)\n"}});
  EXPECT_FALSE(says(text, "“Args:")) << text;
}

TEST(Sentences, WhatIsNoLongerCalledIsNotGone) {
  const std::string rest = "\n\ndef old(x):\n    return x\n\n\ndef new(x):\n    return x\n\n\ndef main():\n    f(1)\n";
  const std::string text = dive_of({{"a.py", "def f(x):\n    old(x)\n    return x\n" + rest}},
                                   {{"a.py", "def f(x):\n    new(x)\n    return x\n" + rest}});
  EXPECT_TRUE(says(text, "-->|\"removed call\"|")) << text;
  EXPECT_FALSE(says(text, "old<br/>REMOVED")) << text;
}

TEST(Sentences, AReviewSaysWhatChangedOrNothing) {
  const auto fixture = make_fixture(
      {{"a.py", "def f(x):\n    return x\n\n\ndef g(x):\n    if x:\n        f(x)\n"}},
      {{"a.py", "def f(x, plan=None):\n    return x\n\n\ndef g(x):\n    if x:\n        f(x, 1)\n"}}, "Change it");
  report::Document document = report::write_summary(fixture->inputs).document;
  const std::string text = render_markdown(document);
  EXPECT_TRUE(says(text, "changed. Takes the new `plan=None`, given by `g`.")) << text;
  EXPECT_FALSE(says(text, "changed. Reached")) << text;
  EXPECT_FALSE(says(text, "changed. No test")) << text;
}

/// What is new is told by its docstring; what it communicates stands beside that.
TEST(Sentences, AReviewTellsWhatIsNewByItsDocstring) {
  const auto of = [](const std::string& docstring) {
    const auto fixture =
        make_fixture({{"a.py", "import torch.distributed as dist\n"}},
                     {{"a.py", "import torch.distributed as dist\n\n\ndef plan(x, size):\n" + docstring +
                                   "    todo = {}\n    todo[size] = x\n    dist.broadcast(x, src=0)\n"
                                   "    return todo\n"}},
                     "Add plans");
    report::Document document = report::write_summary(fixture->inputs).document;
    return render_markdown(document);
  };
  const std::string text = of("    \"\"\"Sends the plan to all ranks.\"\"\"\n");
  EXPECT_TRUE(says(text, "new. \u201cSends the plan to all ranks.\u201d Issues `broadcast` over all ranks")) << text;
  EXPECT_FALSE(says(text, "Sets `todo`")) << text;
  EXPECT_TRUE(says(of(""), "Sets `todo`")) << of("");
}

std::size_t words_of(const std::string& text) {
  std::size_t count = 0;
  bool inside = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank && !inside) ++count;
    inside = !blank;
  }
  return count;
}

TEST(Sentences, ALargeChangeKeepsWithinTheBudgets) {
  Files after;
  for (int file = 0; file < 12; ++file) {
    std::string source;
    for (int i = 0; i < 8; ++i) {
      source += fmt::format("def work_{0}_{1}(x, plan):\n    \"\"\"Do part {1} of {0}.\"\"\"\n", file, i);
      for (int step = 0; step < 12; ++step)
        source += fmt::format(
            "    if x.part_{0}:\n        value_{0} = prepare(x, plan, {0})\n        x.keep(value_{0})\n", step);
      source += "    return x\n\n\n";
    }
    after[fmt::format("lib/part_{}/work.py", file)] = source;
  }
  const auto fixture = make_fixture({{"a.py", "X = 1\n"}}, after, "Add the parts");
  EXPECT_LE(words_of(render_markdown(report::write_explain(fixture->inputs))), 1500u);
  EXPECT_LE(words_of(render_markdown(report::write_dive(fixture->inputs))), 4000u);
}

constexpr const char* kLicensed = R"(# Copyright (c) 2026, SOMEONE. All rights reserved.
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS.

name: Nightly
on:
  schedule:
    - cron: "0 6 * * *"
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - name: Make
        run: make all
  test:
    needs: build
    uses: ./.github/workflows/gpu.yml
)";

TEST(Sentences, ALicenceIsNoReasonAndJobsAreTold) {
  const Files before = {{"README.md", "# A\n"}};
  const Files after = {{"README.md", "# A\n"}, {".github/workflows/nightly.yml", kLicensed}};
  const std::string text = explain_of(before, after);
  EXPECT_FALSE(says(text, "Unless required")) << text;
  EXPECT_TRUE(says(text, "is started by `schedule` at `0 6 * * *`")) << text;
  EXPECT_TRUE(says(text, "| `test` | 16 | new | `./.github/workflows/gpu.yml` | `build` | — |")) << text;
  EXPECT_TRUE(says(text, "-->|\"then\"|")) << text;
  EXPECT_TRUE(says(dive_of(before, after), "nothing that runs in training is affected")) << text;
}

TEST(Sentences, WhatARunMayReadIsNotCalledHarmless) {
  const std::string text = dive_of({{"requirements.txt", "torch==2.1\n"}}, {{"requirements.txt", "torch==2.2\n"}});
  EXPECT_FALSE(says(text, "nothing that runs in training is affected")) << text;
  EXPECT_TRUE(says(text, "Whether a run or an installation reads `requirements.txt`")) << text;
}

TEST(Sentences, SectionsOfADocumentAreTold) {
  const std::string text =
      explain_of({{"a.md", "# A\nOld.\n"}},
                 {{"a.md", "# A\nOld.\n\n## B\n- The *first* thing\n  to know. And more.\n\n## C\nText.\n"}});
  EXPECT_TRUE(says(text, "| B | 4 | new | “The first thing to know.” |")) << text;
  EXPECT_FALSE(says(text, "| A | 1 |")) << text;
  EXPECT_TRUE(says(text, "The sections that change:")) << text;
}

TEST(Sentences, ANameThatAnImportStillBindsIsNotGone) {
  const std::string text = explain_of({{"a.py", "class Text(str):\n    pass\n\n\nclass Other(str):\n    pass\n"}},
                                      {{"a.py", "from lib import Text\n\nUSED = Text\n"}});
  EXPECT_TRUE(says(text, "Removed from the importable names: `Other`.")) << text;
}

TEST(Sentences, AnotherDefaultIsToldFirstWithTheOldOne) {
  const std::string text = explain_of({{"a.py", "class RunConfig:\n    mode: str = \"block\"\n"}},
                                      {{"a.py", "class RunConfig:\n    mode: str = \"whole\"\n"}});
  EXPECT_TRUE(says(text, "The default of `mode` changes from `\"block\"` to `\"whole\"`.")) << text;
  EXPECT_TRUE(says(text, "Runs that do not set it behave differently")) << text;
}

TEST(Sentences, OnlyMethodsHaveOverrides) {
  const std::string text = explain_of({{"a.py", "def f(x):\n    return x\n"}},
                                      {{"a.py", "def f(x, y=None):\n    return x if y is None else y\n"}});
  EXPECT_TRUE(says(text, "Existing calls still fit.")) << text;
  EXPECT_FALSE(says(text, "overrides in subclasses")) << text;
}

TEST(Sentences, AnAttributeNamesTheSettingItWasMadeFrom) {
  const std::string body =
      "class RunConfig:\n    use_bias: bool = False\n\n\nclass Router:\n    def __init__(self, config):\n"
      "        self.bias = config.use_bias\n\n    def route(self, x):\n        if self.bias:\n"
      "            x = x + 1\n        return x\n";
  const std::string text = explain_of({{"a.py", body}}, {{"a.py", replace_all(body, "x + 1", "x + 2")}});
  EXPECT_TRUE(says(text, "`use_bias` (`a.py:2`), default `False`.")) << text;
  EXPECT_TRUE(says(text, "(does not hold by default)")) << text;
}

TEST(Sentences, ACheckThatGoesIsTold) {
  const std::string text =
      explain_of({{"a.py", "def f(x):\n    if x < 0:\n        raise ValueError(\"negative\")\n    return x\n"}},
                 {{"a.py", "def f(x):\n    return x\n"}});
  EXPECT_TRUE(says(text, "no longer raises `ValueError` when `x` is less than `0`")) << text;
}

TEST(Sentences, AWayThroughAHookIsTold) {
  const std::string body =
      "class Unit:\n    def __init__(self, module):\n        self.register(module)\n\n    def register(self, module):\n"
      "        module.register_forward_pre_hook(lambda unit, _args: cast(Unit, unit).gather())\n\n"
      "    def gather(self):\n        return 1\n\n\ndef main():\n    Unit(None)\n\n\nif __name__ == \"__main__\":\n"
      "    main()\n";
  const std::string text = explain_of({{"a.py", body}}, {{"a.py", replace_all(body, "return 1", "return 2")}});
  EXPECT_FALSE(says(text, "The call graph finds no call that leads")) << text;
  EXPECT_TRUE(says(text, "`a.py` → `main`")) << text;
  EXPECT_TRUE(says(text, "`Unit.register` (`a.py:5`) → `Unit.gather` (`a.py:8`)")) << text;
  EXPECT_FALSE(says(text, "lambda1")) << text;
}

TEST(Why, AnEmptyLineOfAQuoteEndsAListsItem) {
  const std::string text =
      explain_of({{"a.py", "def f(x):\n    return x\n"}}, {{"a.py", "def f(x):\n    return x + 1\n"}}, "Add one",
                 "- Callers count from one since the tables do.\n>\n- The rest counts from zero.\n");
  EXPECT_TRUE(says(text, "Callers count from one since the tables do.")) << text;
  EXPECT_TRUE(says(text, "The rest counts from zero.")) << text;
}

TEST(Limits, TheSameWordsAreQuotedOnce) {
  const std::string limit = "Rows of odd length are not supported by the bank.";
  const std::string text =
      dive_of({{"a.py", "X = 1\n"}}, {{"a.py", "X = 1\n"},
                                      {"bank.py", "def put(group):\n    # " + limit + "\n    return group\n"},
                                      {"docs/bank.md", "# Bank\n\n## Known issues\n\n" + limit + "\n"}});
  const std::size_t first = text.find("“" + limit + "” (`docs/bank.md:5`)");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_FALSE(says(text, "“" + limit + "” (`bank.py")) << text;
}

/// What a new setting saves is a reason; that something is saved is none.
TEST(Why, WhatASettingSavesIsAReason) {
  const std::string before = "from dataclasses import dataclass\n\n\n@dataclass\nclass Params:\n    size: int = 1\n";
  const auto why = [&](const std::string& comment) {
    const std::string after = before + "    # " + comment + "\n    keep: bool = False\n";
    const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
    return text.substr(0, text.find("### What"));
  };
  EXPECT_TRUE(says(why("Drops the tokens before they are sent, saving the transmission cost of long prompts."),
                   "the comment above `Params.keep`"));
  EXPECT_FALSE(says(why("Set while the loop is saving the model in each of its rounds."), "the comment above"));
}

TEST(Sentences, AComparisonOfAlternativesStaysCode) {
  const std::string before = "def f(args):\n    return args.size\n";
  const std::string after = "def f(args):\n    if (args.iters or 0) > 0:\n        start(args)\n    return args.size\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "`(args.iters or 0) > 0` holds")) << text;
  EXPECT_FALSE(says(text, "is more than")) << text;
}

TEST(Sentences, OfALongConditionNoPartIsCutOff) {
  const std::string before = "class A:\n    def f(self):\n        return 1\n";
  const std::string after =
      "class A:\n    def f(self):\n        if (\n            self.ddp_config.overlap_grad_reduce\n            and "
      "self.ddp_config.reduce_scatter_with_fp32_accumulation\n            and "
      "self.ddp_config.num_distributed_optimizer_instances == 1\n        ):\n            self.link()\n        return "
      "1\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "`self.ddp_config.num_distributed_optimizer_instances` is `1`")) << text;
}

TEST(Sentences, ACheckForARemovedLibraryIsNoRisk) {
  const std::string head =
      "try:\n    import einops\n\n    HAVE_EINOPS = True\nexcept ImportError:\n    HAVE_EINOPS = False\n\n\n";
  const std::string before =
      "def f(x):\n    if not HAVE_EINOPS:\n        raise RuntimeError(\"no einops\")\n    return einops.reduce(x)\n";
  const std::string after = "def f(x):\n    return x.sum()\n";
  EXPECT_FALSE(says(explain_of({{"a.py", head + before}}, {{"a.py", after}}), "that is let through now"));
  // What stays may be missing still.
  EXPECT_TRUE(says(explain_of({{"a.py", head + before}}, {{"a.py", head + after}}), "that is let through now"));
}

/// A check of what goes with it lets nothing through.
TEST(Sentences, AnAssertionOverARemovedLocalIsNoRisk) {
  const std::string before = "def f(x, n):\n    index = find(x)\n    assert index.numel() == n\n    return x[index]\n";
  const std::string gone = explain_of({{"a.py", before}}, {{"a.py", "def f(x, n):\n    return x[:n]\n"}});
  EXPECT_FALSE(says(gone, "that is let through now")) << gone;
  const std::string kept =
      explain_of({{"a.py", before}}, {{"a.py", "def f(x, n):\n    index = find(x)\n    return x[index]\n"}});
  EXPECT_TRUE(says(kept, "that is let through now")) << kept;
}

TEST(Sentences, EqualVariablesAreNotCalledTheSame) {
  const std::string before = "def f(a, b):\n    return a\n";
  const std::string text =
      explain_of({{"a.py", before}}, {{"a.py", "def f(a, b):\n    if a == b:\n        stop(a)\n    return a\n"}});
  EXPECT_TRUE(says(text, "when `a` equals `b`")) << text;
  const std::string same =
      explain_of({{"a.py", before}}, {{"a.py", "def f(a, b):\n    if a is b:\n        stop(a)\n    return a\n"}});
  EXPECT_TRUE(says(same, "when `a` is `b`")) << same;
  const std::string one_of_few = explain_of(
      {{"a.py", before}}, {{"a.py", "def f(a, b):\n    if a == Mode.LEGACY:\n        stop(a)\n    return a\n"}});
  EXPECT_TRUE(says(one_of_few, "when `a` is `Mode.LEGACY`")) << one_of_few;
}

/// Another help text is no other argument.
TEST(Sentences, AnotherHelpTextIsCalledSo) {
  const auto side = [](const std::string& kind, const std::string& help) {
    return "def add_args(parser):\n    parser.add_argument('--size', type=" + kind + ", help='" + help + "')\n";
  };
  const auto text_of = [&](const std::string& kind, const std::string& help) {
    return explain_of({{"a.py", side("int", "How large.")}, {"b.py", "x = 1\n"}},
                      {{"a.py", side(kind, help)}, {"b.py", "x = 2\n"}});
  };
  EXPECT_TRUE(says(text_of("int", "How large it is."), "changes `add_args` (another help text)"));
  EXPECT_FALSE(says(text_of("float", "How large it is."), "another help text"));
}

TEST(Sentences, WhatARegressionTestGuardsAgainstIsAReason) {
  const std::string bank = "def reset(keep=True):\n    \"\"\"Buckets are kept because others read them.\"\"\"\n";
  const std::string test =
      "from bank import reset\n\n\nclass TestReset:\n    \"\"\"Regression test.\n\n    Before the fix, reset() freed "
      "every bucket because no hook refreshed it.\n    \"\"\"\n\n    def test_reset(self):\n        reset()\n";
  const Files before = {{"bank.py", "def reset():\n    free()\n"}, {"tests/test_bank.py", "import bank\n"}};
  const Files after = {{"bank.py", bank + "    free(keep)\n"}, {"tests/test_bank.py", test}};
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "the docstring of `reset` (`bank.py:1`): \u201cBuckets are kept because")) << text;
  EXPECT_TRUE(says(text,
                   "the test class `TestReset` (`tests/test_bank.py:4`): \u201cBefore the fix, reset() freed every "
                   "bucket because no hook refreshed it."))
      << text;
}

TEST(Sentences, ADocstringThatCallsAProxyUnreliableGivesTheReason) {
  const auto step = [](const std::string& more, const std::string& asked) {
    return "def should_defer(config, parts):\n    \"\"\"Return whether the sync waits.\n" + more +
           "    \"\"\"\n    return " + asked + "\n";
  };
  const std::string why = "\n    The optimizer's field is unreliable as a proxy for the setting of the parts.\n";
  const std::string asked = "any(not part.overlap for part in parts)";
  const std::string text =
      explain_of({{"a.py", step("", "not config.overlap")}}, {{"a.py", step(why, asked)}}, "Ask the parts");
  EXPECT_TRUE(says(text, "\u201cThe optimizer's field is unreliable as a proxy for the setting of the parts.")) << text;
}

}  // namespace
}  // namespace lockstep::render
