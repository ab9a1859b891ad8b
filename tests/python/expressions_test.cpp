// Each kind of expression: its nodes and the source that each covers.
#include <gtest/gtest.h>

#include "python/outline.h"

namespace lockstep::python {
namespace {

TEST(Expressions, OperatorsBindAsInPython) {
  EXPECT_EQ(outline("a or b and not c < d | e ^ f & g << h + i * -j ** -k\n"),
            R"(ExprStmt |a or b and not c < d | e ^ f & g << h + i * -j ** -k|
  BoolOp |a or b and not c < d | e ^ f & g << h + i * -j ** -k|
    Name |a|
    BoolOp |b and not c < d | e ^ f & g << h + i * -j ** -k|
      Name |b|
      UnaryOp |not c < d | e ^ f & g << h + i * -j ** -k|
        Compare |c < d | e ^ f & g << h + i * -j ** -k|
          Name |c|
          BinOp |d | e ^ f & g << h + i * -j ** -k|
            Name |d|
            BinOp |e ^ f & g << h + i * -j ** -k|
              Name |e|
              BinOp |f & g << h + i * -j ** -k|
                Name |f|
                BinOp |g << h + i * -j ** -k|
                  Name |g|
                  BinOp |h + i * -j ** -k|
                    Name |h|
                    BinOp |i * -j ** -k|
                      Name |i|
                      UnaryOp |-j ** -k|
                        BinOp |j ** -k|
                          Name |j|
                          UnaryOp |-k|
                            Name |k|
)");
}

TEST(Expressions, ChainsGroupToTheLeftAndPowersToTheRight) {
  EXPECT_EQ(outline("a - b - c\n"), R"(ExprStmt |a - b - c|
  BinOp |a - b - c|
    BinOp |a - b|
      Name |a|
      Name |b|
    Name |c|
)");
  EXPECT_EQ(outline("a ** b ** c\n"), R"(ExprStmt |a ** b ** c|
  BinOp |a ** b ** c|
    Name |a|
    BinOp |b ** c|
      Name |b|
      Name |c|
)");
}

TEST(Expressions, ComparisonsAreOneNode) {
  const auto file = parse("a < b is not c not in d == e\n");
  const auto* compare = only_expression<Compare>(*file);
  ASSERT_NE(compare, nullptr);
  using Op = CompareOperator;
  EXPECT_EQ(std::vector<Op>(compare->ops.begin(), compare->ops.end()),
            (std::vector{Op::kLt, Op::kIsNot, Op::kNotIn, Op::kEq}));
  EXPECT_EQ(compare->comparators.size(), 4u);
}

TEST(Expressions, ParenthesesWidenTheOperationAroundThemOnly) {
  EXPECT_EQ(outline("(a) + (b).c\n"), R"(ExprStmt |(a) + (b).c|
  BinOp |(a) + (b).c|
    Name |a|
    Attribute |(b).c|
      Name |b|
)");
}

TEST(Expressions, ConditionalsAndLambdas) {
  EXPECT_EQ(outline("lambda a, *b, c=1: a if b else lambda: (yield)\n"),
            R"(ExprStmt |lambda a, *b, c=1: a if b else lambda: (yield)|
  Lambda |lambda a, *b, c=1: a if b else lambda: (yield)|
    Parameters |a, *b, c=1|
      Parameter |a|
      Parameter |b|
      Parameter |c|
        Constant |1|
    IfExp |a if b else lambda: (yield)|
      Name |a|
      Name |b|
      Lambda |lambda: (yield)|
        Parameters ||
        Yield |yield|
)");
}

TEST(Expressions, Calls) {
  EXPECT_EQ(outline("f(a, k=b, *c, **d)(x := 1,)\n"), R"(ExprStmt |f(a, k=b, *c, **d)(x := 1,)|
  Call |f(a, k=b, *c, **d)(x := 1,)|
    Call |f(a, k=b, *c, **d)|
      Name |f|
      Name |a|
      Keyword |k=b|
        Name |b|
      Starred |*c|
        Name |c|
      Keyword |**d|
        Name |d|
    NamedExpr |x := 1|
      Name |x|
      Constant |1|
)");
  EXPECT_EQ(outline("f(x for x in y)\n"), R"(ExprStmt |f(x for x in y)|
  Call |f(x for x in y)|
    Name |f|
    GeneratorExp |(x for x in y)|
      Name |x|
      Comprehension |for x in y|
        Name |x|
        Name |y|
)");
  for (const char* source :
       {"f(a=1, b)", "f(**a, b)", "f(**a, *b)", "f(x for x in y, 1)", "f(1, x for x in y)", "f((a)=1)", "f(a.b=1)",
        "f(a b)", "f(,)", "f(*)", "class A(x for x in y): pass", "f(a := 1 := 2)"}) {
    EXPECT_FALSE(parse(std::string(source) + "\n")->problems.empty()) << source;
  }
}

TEST(Expressions, Subscripts) {
  EXPECT_EQ(outline("x[1:2, ::3, *y, :]\n"), R"(ExprStmt |x[1:2, ::3, *y, :]|
  Subscript |x[1:2, ::3, *y, :]|
    Name |x|
    Tuple |1:2, ::3, *y, :|
      Slice |1:2|
        Constant |1|
        Constant |2|
      Slice |::3|
        Constant |3|
      Starred |*y|
        Name |y|
      Slice |:|
)");
  EXPECT_EQ(outline("x[*y]\n"),
            "ExprStmt |x[*y]|\n  Subscript |x[*y]|\n    Name |x|\n    Tuple |*y|\n      Starred |*y|\n"
            "        Name |y|\n");
  EXPECT_EQ(outline("x[a,]\n"),
            "ExprStmt |x[a,]|\n  Subscript |x[a,]|\n    Name |x|\n    Tuple |a,|\n      Name |a|\n");
}

TEST(Expressions, Displays) {
  EXPECT_EQ(outline("[a, *b], {c, *d}, {e: f, **g}, (), (h,), {}\n"),
            R"(ExprStmt |[a, *b], {c, *d}, {e: f, **g}, (), (h,), {}|
  Tuple |[a, *b], {c, *d}, {e: f, **g}, (), (h,), {}|
    List |[a, *b]|
      Name |a|
      Starred |*b|
        Name |b|
    Set |{c, *d}|
      Name |c|
      Starred |*d|
        Name |d|
    Dict |{e: f, **g}|
      Name |e|
      Name |f|
      Name |g|
    Tuple |()|
    Tuple |(h,)|
      Name |h|
    Dict |{}|
)");
  const auto file = parse("{a: b, **c}\n");
  const auto* dict = only_expression<Dict>(*file);
  ASSERT_EQ(dict->keys.size(), 2u);
  EXPECT_EQ(dict->keys[1], nullptr);
}

TEST(Expressions, Comprehensions) {
  EXPECT_EQ(outline("[a for b, in c if d if e async for f in g]\n"),
            R"(ExprStmt |[a for b, in c if d if e async for f in g]|
  ListComp |[a for b, in c if d if e async for f in g]|
    Name |a|
    Comprehension |for b, in c if d if e|
      Tuple |b,|
        Name |b|
      Name |c|
      Name |d|
      Name |e|
    Comprehension |async for f in g|
      Name |f|
      Name |g|
)");
  EXPECT_EQ(outline("{a: b for c in d}, {e for f in g}, (h for i in j)\n"),
            R"(ExprStmt |{a: b for c in d}, {e for f in g}, (h for i in j)|
  Tuple |{a: b for c in d}, {e for f in g}, (h for i in j)|
    DictComp |{a: b for c in d}|
      Name |a|
      Name |b|
      Comprehension |for c in d|
        Name |c|
        Name |d|
    SetComp |{e for f in g}|
      Name |e|
      Comprehension |for f in g|
        Name |f|
        Name |g|
    GeneratorExp |(h for i in j)|
      Name |h|
      Comprehension |for i in j|
        Name |i|
        Name |j|
)");
}

TEST(Expressions, WhatPythonRejects) {
  for (const char* source : {"a +",
                             "a not b",
                             "not",
                             "(*a)",
                             "{**a for b in c}",
                             "[*a for b in c]",
                             "{a: b, c}",
                             "{a, b: c}",
                             "{a := 1: 2}",
                             "a if b",
                             "a ? b",
                             "x.1",
                             "x.None",
                             "yield = 1",
                             "await",
                             "a <> b",
                             "a b",
                             "lambda x := 1: x",
                             "[a, b",
                             "a]",
                             "()()(",
                             "a..b",
                             "x[]",
                             "x[a:b:c:d]",
                             "$",
                             "a!",
                             "f(**)",
                             "[x for x in y if]",
                             "[x for y]",
                             "await await x",
                             "a = yield = b",
                             "x = (yield y",
                             "== 1"}) {
    EXPECT_FALSE(parse(std::string(source) + "\n")->problems.empty()) << source;
  }
}

TEST(Expressions, Numbers) {
  for (const char* number : {"0", "00_0", "1_000", "0xFf_f", "0x_1", "0o17", "0b1_0"}) {
    const auto file = parse(std::string(number) + "\n");
    ASSERT_TRUE(file->problems.empty()) << number;
    EXPECT_EQ(only_expression<Constant>(*file)->constant_kind, ConstantKind::kInt) << number;
    EXPECT_EQ(only_expression<Constant>(*file)->text, number);
  }
  for (const char* number : {"1.", ".5", "1e5", "1_0.0_1e-1_0", "012.5", "0e0", "1.E+3"}) {
    const auto file = parse(std::string(number) + "\n");
    ASSERT_TRUE(file->problems.empty()) << number;
    EXPECT_EQ(only_expression<Constant>(*file)->constant_kind, ConstantKind::kFloat) << number;
  }
  for (const char* number : {"1j", "012j", ".5J", "1e5j"}) {
    const auto file = parse(std::string(number) + "\n");
    ASSERT_TRUE(file->problems.empty()) << number;
    EXPECT_EQ(only_expression<Constant>(*file)->constant_kind, ConstantKind::kComplex) << number;
  }
  for (const char* wrong :
       {"012", "1__0", "1_", "0x", "0xg", "0b2", "0o8", "1e", "1abc", "1._5", "1jx", "0_7", "0b1_"}) {
    EXPECT_FALSE(parse(std::string(wrong) + "\n")->problems.empty()) << wrong;
  }
  EXPECT_TRUE(parse("x = 1if y else 2\n0x1for x in y\n[1or 2, 3and 4, 5in z]\n")->tree->body.size() == 3);
}

}  // namespace
}  // namespace lockstep::python
