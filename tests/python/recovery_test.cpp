// Broken code: what is given up, and what is kept.
#include <gtest/gtest.h>

#include "python/outline.h"

namespace lockstep::python {
namespace {

TEST(Recovery, OneStatementIsLost) {
  EXPECT_EQ(outline("print 'hello'\nx = 1\n"), R"(ErrorStmt |print 'hello'|
Assign |x = 1|
  Name |x|
  Constant |1|
! invalid syntax
)");
  EXPECT_EQ(outline("exec 'a' in b\nraise E, 'm'\n`x`\n0777\nx\n"), R"(ErrorStmt |exec 'a' in b|
ErrorStmt |raise E, 'm'|
ErrorStmt |`x`|
ErrorStmt |0777|
ExprStmt |x|
  Name |x|
! invalid syntax
! invalid syntax
! invalid character
! leading zeros in decimal integer literals are not permitted
)");
}

TEST(Recovery, OfOneLineTheGoodPartStays) {
  EXPECT_EQ(outline("a; b c; d\ne\n"), R"(ExprStmt |a|
  Name |a|
ErrorStmt |b c; d|
ExprStmt |e|
  Name |e|
! invalid syntax
)");
}

TEST(Recovery, BlocksOfBrokenHeadersAreKept) {
  EXPECT_EQ(outline("def f(a b):\n    return 1\nclass A(B:\n    x = 1\ny\n"), R"(FunctionDef |def f(a b):\n    return 1|
  Parameters ||
  Return |return 1|
    Constant |1|
ClassDef |class A(B:\n    x = 1|
  Assign |x = 1|
    Name |x|
    Constant |1|
ExprStmt |y|
  Name |y|
! expected ')'
! expected ',' or ')'
)");
  EXPECT_EQ(outline("if x = 3:\n    a\nelif y z:\n    b\nelse\n    c\nd\n"),
            R"(If |if x = 3:\n    a\nelif y z:\n    b\nelse\n    c|
  ErrorExpr |if x = 3:|
  ExprStmt |a|
    Name |a|
  If |elif y z:\n    b\nelse\n    c|
    ErrorExpr |elif y z:|
    ExprStmt |b|
      Name |b|
    ExprStmt |c|
      Name |c|
ExprStmt |d|
  Name |d|
! expected ':'
! expected ':'
! expected ':'
)");
  EXPECT_EQ(outline("try:\n    a\nexcept A, B:\n    b\nfor in x:\n    c\nwith open(x as f:\n    d\n"),
            R"(Try |try:\n    a\nexcept A, B:\n    b|
  ExprStmt |a|
    Name |a|
  ExceptHandler |except A, B:\n    b|
    ErrorExpr |except A, B:|
    ExprStmt |b|
      Name |b|
For |for in x:\n    c|
  ErrorExpr |for in x:|
  ErrorExpr ||
  ExprStmt |c|
    Name |c|
With |with open(x as f:\n    d|
  WithItem |with open(x as f:|
    ErrorExpr |with open(x as f:|
  ExprStmt |d|
    Name |d|
! expected ':'
! invalid syntax
! expected ',' or ')'
)");
}

TEST(Recovery, BrokenCasesAndDecorators) {
  EXPECT_EQ(outline("match x:\n    case 1 2:\n        a\n    case 3:\n        b\n"),
            R"(Match |match x:\n    case 1 2:\n        a\n    case 3:\n        b|
  Name |x|
  MatchCase |case 1 2:\n        a|
    MatchValue |case 1 2:|
      ErrorExpr |case 1 2:|
    ExprStmt |a|
      Name |a|
  MatchCase |case 3:\n        b|
    MatchValue |3|
      Constant |3|
    ExprStmt |b|
      Name |b|
! expected ':'
)");
  EXPECT_EQ(outline("@a b\ndef f(): pass\n@c\nx = 1\n"), R"(FunctionDef |def f(): pass|
  ErrorExpr |a b|
  Parameters ||
  Pass |pass|
ErrorStmt |@c|
Assign |x = 1|
  Name |x|
  Constant |1|
! invalid syntax
! expected a function or class definition after the decorators
)");
}

TEST(Recovery, UnclosedBracketsEndWhereAStatementStarts) {
  EXPECT_EQ(outline("def f(x):\n    return foo(x\n\ndef g(y):\n    return y\n"),
            R"(FunctionDef |def f(x):\n    return foo(x|
  Parameters |x|
    Parameter |x|
  ErrorStmt |return foo(x|
FunctionDef |def g(y):\n    return y|
  Parameters |y|
    Parameter |y|
  Return |return y|
    Name |y|
! expected ',' or ')'
)");
  EXPECT_EQ(outline("x = {\n  'a': [1, 2\n\n@dec\nclass C: pass\n"), R"(ErrorStmt |x = {\n  'a': [1, 2|
ClassDef |class C: pass|
  Name |dec|
  Pass |pass|
! expected ',' or ']'
)");
}

TEST(Recovery, UnclosedBracketsAndStringsDoNotEatTheFile) {
  EXPECT_EQ(outline("x = foo(\ny = 2\nz = (3\n"), R"(ErrorStmt |x = foo(|
Assign |y = 2|
  Name |y|
  Constant |2|
ErrorStmt |z = (3|
! expected ',' or ')'
! a bracket was never closed
)");
  EXPECT_EQ(outline("s = '''abc\nt = 1\n"), R"(ErrorStmt |s = '''abc|
Assign |t = 1|
  Name |t|
  Constant |1|
! unterminated triple-quoted string literal
)");
  EXPECT_EQ(outline("s = 'abc\nt = 1\n"), R"(ErrorStmt |s = 'abc|
Assign |t = 1|
  Name |t|
  Constant |1|
! unterminated string literal
)");
}

TEST(Recovery, AContinuedFirstLineIsGivenUpAsAWhole) {
  EXPECT_EQ(outline("def \\\n  f(a $\n  b\nc\n"), R"(FunctionDef |def \\n  f(a $\n  b|
  Parameters ||
  ExprStmt |b|
    Name |b|
ExprStmt |c|
  Name |c|
! invalid character
)");
}

TEST(Recovery, KeywordsInsideGoodBracketsDoNotEndThem) {
  EXPECT_TRUE(parse("x = (a\nif b\nelse c)\ny = [d\nfor d in e\nif f]\n")->problems.empty());
}

TEST(Recovery, FStringsAreLeftAsAWhole) {
  EXPECT_EQ(outline("f\"{a b} it's\" + g\nh = f'{x!q}'; i\nj\n"), R"(ErrorStmt |f"{a b} it's" + g|
ErrorStmt |h = f'{x!q}'; i|
ExprStmt |j|
  Name |j|
! f-string: expecting '}'
! f-string: invalid conversion character: expected 's', 'r', or 'a'
)");
}

TEST(Recovery, ErrorsFarInsideAnFStringEndWithIt) {
  // Read with nested quotes, the first f-string goes on behind its line; read plainly, it ends on it.
  EXPECT_EQ(outline("x = f'''{a # '''\n  b\ny = f'''d\n''' $\nz = 1 2 f'''\n]'''\nw\n"), R"(ErrorStmt |x = f'''{a # '''|
ExprStmt |b|
  Name |b|
ErrorStmt |y = f'''d\n''' $|
ErrorStmt |z = 1 2 f'''\n]'''|
ExprStmt |w|
  Name |w|
! f-string: expecting '}'
! unexpected indent
! invalid character
! invalid syntax
)");
}

TEST(Recovery, Indentation) {
  EXPECT_EQ(outline("x\n    y\nz\n"), R"(ExprStmt |x|
  Name |x|
ExprStmt |y|
  Name |y|
ExprStmt |z|
  Name |z|
! unexpected indent
)");
  EXPECT_EQ(outline("def f():\nx\n"), R"(FunctionDef |def f():|
  Parameters ||
  ErrorStmt ||
ExprStmt |x|
  Name |x|
! expected an indented block
)");
  EXPECT_EQ(outline("else:\n    x\ny\n"), R"(ErrorStmt |else:|
ExprStmt |x|
  Name |x|
ExprStmt |y|
  Name |y|
! invalid syntax
! unexpected indent
)");
}

TEST(Recovery, ProblemsStandWhereTheErrorIs) {
  const auto file = parse("x = 1\ny = 2 3\nz = )\n");
  ASSERT_EQ(file->problems.size(), 2u);
  EXPECT_EQ(file->source.position_of(file->problems[0].span.begin), (Position{1, 6}));
  EXPECT_EQ(file->source.position_of(file->problems[1].span.begin), (Position{2, 4}));
}

TEST(Recovery, CommentsThatAreReadTwiceAreRecordedOnce) {
  const auto file = parse("x = foo(  # a\n# b\ny = 2  # c\nz = f'{x # d\n}{'  # e\nw # f\n");
  EXPECT_FALSE(file->problems.empty());
  std::uint32_t last = 0;
  for (const Comment& comment : file->comments) {
    EXPECT_GE(comment.span.begin, last);
    last = comment.span.end;
  }
  EXPECT_EQ(file->source.slice(file->comments.back().span), "# f");
}

}  // namespace
}  // namespace lockstep::python
