// `match`: when it is the statement, and every kind of pattern.
#include <gtest/gtest.h>

#include "python/outline.h"

namespace lockstep::python {
namespace {

TEST(Patterns, AllKinds) {
  EXPECT_EQ(outline("match a, *b:\n"
                    "    case {'k': 1, A.b: _, **r} if r: pass\n"
                    "    case None, (x), (), [*_]: pass\n"),
            R"(Match |match a, *b:\n    case {'k': 1, A.b: _, **r} if r: pass\n    case None, (x), (), [*_]: pass|
  Tuple |a, *b|
    Name |a|
    Starred |*b|
      Name |b|
  MatchCase |case {'k': 1, A.b: _, **r} if r: pass|
    MatchMapping |{'k': 1, A.b: _, **r}|
      Constant |'k'|
      MatchValue |1|
        Constant |1|
      Attribute |A.b|
        Name |A|
      MatchAs |_|
    Name |r|
    Pass |pass|
  MatchCase |case None, (x), (), [*_]: pass|
    MatchSequence |None, (x), (), [*_]|
      MatchSingleton |None|
      MatchAs |x|
      MatchSequence |()|
      MatchSequence |[*_]|
        MatchStar |*_|
    Pass |pass|
)");
}

TEST(Patterns, ClassesAndAlternatives) {
  EXPECT_EQ(outline("match x:\n    case A.B(c, d=[_, *e]) | -1+2j as f: pass\n"),
            R"(Match |match x:\n    case A.B(c, d=[_, *e]) | -1+2j as f: pass|
  Name |x|
  MatchCase |case A.B(c, d=[_, *e]) | -1+2j as f: pass|
    MatchAs |A.B(c, d=[_, *e]) | -1+2j as f|
      MatchOr |A.B(c, d=[_, *e]) | -1+2j|
        MatchClass |A.B(c, d=[_, *e])|
          Attribute |A.B|
            Name |A|
          MatchAs |c|
          MatchSequence |[_, *e]|
            MatchAs |_|
            MatchStar |*e|
        MatchValue |-1+2j|
          BinOp |-1+2j|
            UnaryOp |-1|
              Constant |1|
            Constant |2j|
    Pass |pass|
)");
}

TEST(Patterns, NamesAndWildcards) {
  const auto file = parse("match x:\n    case [a, _, *_, *b, {**c}]: pass\n    case A(k=v): pass\n");
  ASSERT_TRUE(file->problems.empty());
  const auto& cases = as<Match>(file->tree->body[0])->cases;
  const auto& parts = as<MatchSequence>(cases[0]->pattern)->patterns;
  EXPECT_EQ(as<MatchAs>(parts[0])->name.text, "a");
  EXPECT_EQ(as<MatchAs>(parts[1])->name.text, "");
  EXPECT_EQ(as<MatchStar>(parts[2])->name.text, "");
  EXPECT_EQ(as<MatchStar>(parts[3])->name.text, "b");
  EXPECT_EQ(as<MatchMapping>(parts[4])->rest.text, "c");
  const auto* cls = as<MatchClass>(cases[1]->pattern);
  ASSERT_EQ(cls->keyword_names.size(), 1u);
  EXPECT_EQ(cls->keyword_names[0].text, "k");
  EXPECT_EQ(cls->keyword_patterns.size(), 1u);
  EXPECT_TRUE(cls->patterns.empty());
}

TEST(Patterns, MatchIsAStatementWhereALineEndsWithAColon) {
  for (const char* subject : {"x", "(x)", "[x]", "-x", "*x, y", "(x).y", "{1: 2}", "'s'", "not x", "(a, b)[0]", "...",
                              "x := 1", "lambda: 0", "await x", "match"}) {
    const auto file = parse(fmt::format("match {}:\n    case _: pass\n", subject));
    EXPECT_TRUE(file->problems.empty()) << subject;
    EXPECT_TRUE(is<Match>(file->tree->body[0])) << subject;
  }
}

TEST(Patterns, MatchAndCaseAreOrdinaryNamesElsewhere) {
  for (const char* source :
       {"match = 1", "match(x)", "match[x]", "match[x]: int", "match * x", "match - x", "match, x = y", "match.x",
        "match in x", "match not in x", "match if x else y", "case = 1", "match: int", "print(match)",
        "match(a, lambda: 0)", "match @ x", "match == x", "match; match(x)"}) {
    const auto file = parse(std::string(source) + "\n");
    EXPECT_TRUE(file->problems.empty()) << source;
    EXPECT_FALSE(is<Match>(file->tree->body[0])) << source;
  }
  EXPECT_TRUE(parse("match case:\n    case match: case = match\n")->problems.empty());
}

TEST(Patterns, WhatPythonRejects) {
  for (const char* pattern : {"a.b()c", "*a", "A(x=1, y)", "{**r, 'a': 1}", "{a: 1}", "x as _", "x as 1", "-a", "1 + 2",
                              "(*a)", "{**_}", "f(", "1 2", "a[0]", "not a"}) {
    EXPECT_FALSE(parse(fmt::format("match x:\n    case {}: pass\n", pattern))->problems.empty()) << pattern;
  }
  EXPECT_FALSE(parse("match x:\n    pass\n")->problems.empty());
  EXPECT_FALSE(parse("match x:\npass\n")->problems.empty());
  EXPECT_FALSE(parse("match *x:\n    case _: pass\n")->problems.empty());
}

}  // namespace
}  // namespace lockstep::python
