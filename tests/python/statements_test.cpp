// Each kind of statement: its nodes and the source that each covers.
#include <gtest/gtest.h>

#include "python/outline.h"

namespace lockstep::python {
namespace {

TEST(Statements, FunctionsWithAllKindsOfParameters) {
  EXPECT_EQ(outline("@a.b(c)\nasync def f(a: T, /, b=1, *c: int, d: str = 2, **e) -> R:\n    return *a, await b\n"),
            R"(FunctionDef |async def f(a: T, /, b=1, *c: int, d: str = 2, **e) -> R:\n    return *a, await b|
  Call |a.b(c)|
    Attribute |a.b|
      Name |a|
    Name |c|
  Parameters |a: T, /, b=1, *c: int, d: str = 2, **e|
    Parameter |a: T|
      Name |T|
    Parameter |b|
      Constant |1|
    Parameter |c: int|
      Name |int|
    Parameter |d: str|
      Name |str|
      Constant |2|
    Parameter |e|
  Name |R|
  Return |return *a, await b|
    Tuple |*a, await b|
      Starred |*a|
        Name |a|
      Await |await b|
        Name |b|
)");
}

TEST(Statements, KindsOfParametersAreToldApart) {
  const auto file = parse("def f(a, b=0, /, c=1, *, d, e=2, **g): pass\ndef h(*args): pass\n");
  ASSERT_TRUE(file->problems.empty());
  using Kind = Parameter::Kind;
  const auto* f = as<FunctionDef>(file->tree->body[0]);
  std::vector<Kind> kinds;
  for (const Parameter* parameter : f->parameters->all) kinds.push_back(parameter->parameter_kind);
  EXPECT_EQ(kinds, (std::vector{Kind::kPositionalOnly, Kind::kPositionalOnly, Kind::kPositionalOrKeyword,
                                Kind::kKeywordOnly, Kind::kKeywordOnly, Kind::kVarKeywords}));
  EXPECT_EQ(f->parameters->all[4]->name.text, "e");
  EXPECT_EQ(as<FunctionDef>(file->tree->body[1])->parameters->all[0]->parameter_kind, Kind::kVarArgs);
}

TEST(Statements, ParameterListsThatPythonRejects) {
  for (const char* list : {"a=1, b", "*", "*, **k", "/", "a, /, b, /", "*a, /", "*a, *b", "**k, a", "**k=1", "*a=1",
                           "a b", "1", "a, , b"}) {
    EXPECT_FALSE(parse(fmt::format("def f({}): pass\n", list))->problems.empty()) << list;
    EXPECT_FALSE(parse(fmt::format("lambda {}: 0\n", list))->problems.empty()) << list;
  }
}

TEST(Statements, Classes) {
  EXPECT_EQ(outline("@d\nclass A(B, *C, metaclass=M, **k): x: int\n"),
            R"(ClassDef |class A(B, *C, metaclass=M, **k): x: int|
  Name |d|
  Name |B|
  Starred |*C|
    Name |C|
  Keyword |metaclass=M|
    Name |M|
  Keyword |**k|
    Name |k|
  AnnAssign |x: int|
    Name |x|
    Name |int|
)");
}

TEST(Statements, TypeParametersAndAliases) {
  EXPECT_EQ(outline("type X[T: int = str, *Ts = *tuple[int], **P = [int]] = T\n"),
            R"(TypeAlias |type X[T: int = str, *Ts = *tuple[int], **P = [int]] = T|
  Name |X|
  TypeParam |T: int = str|
    Name |int|
    Name |str|
  TypeParam |*Ts = *tuple[int]|
    Starred |*tuple[int]|
      Subscript |tuple[int]|
        Name |tuple|
        Name |int|
  TypeParam |**P = [int]|
    List |[int]|
      Name |int|
  Name |T|
)");
  EXPECT_EQ(outline("def f[T: (int, str)](*a: *T): ...\n"),
            R"(FunctionDef |def f[T: (int, str)](*a: *T): ...|
  TypeParam |T: (int, str)|
    Tuple |(int, str)|
      Name |int|
      Name |str|
  Parameters |*a: *T|
    Parameter |a: *T|
      Starred |*T|
        Name |T|
  ExprStmt |...|
    Constant |...|
)");
  EXPECT_EQ(outline("class A[T]: pass\n"), "ClassDef |class A[T]: pass|\n  TypeParam |T|\n  Pass |pass|\n");
}

TEST(Statements, TypeIsAnOrdinaryNameElsewhere) {
  for (const char* source :
       {"type = 1\n", "type(x)\n", "type in x\n", "type.x = 1\n", "type: int\n", "type\n", "x = type; type X = 1\n"}) {
    EXPECT_TRUE(parse(source)->problems.empty()) << source;
  }
  EXPECT_TRUE(is<TypeAlias>(parse("type type = type\n")->tree->body[0]));
}

TEST(Statements, Assignments) {
  EXPECT_EQ(outline("a = b, *c = yield d\n"), R"(Assign |a = b, *c = yield d|
  Name |a|
  Tuple |b, *c|
    Name |b|
    Starred |*c|
      Name |c|
  Yield |yield d|
    Name |d|
)");
  EXPECT_EQ(outline("a.b[c] //= d,\n"), R"(AugAssign |a.b[c] //= d,|
  Subscript |a.b[c]|
    Attribute |a.b|
      Name |a|
    Name |c|
  Tuple |d,|
    Name |d|
)");
}

TEST(Statements, ContextsFollowTheUse) {
  const auto file = parse("(a, [b.c, *d[e]]) = f\ndel x, (y[0],)\nfor i, j in k: pass\n");
  ASSERT_TRUE(file->problems.empty());
  const auto* outer = as<Tuple>(as<Assign>(file->tree->body[0])->targets[0]);
  EXPECT_EQ(outer->context, ExprContext::kStore);
  EXPECT_EQ(as<Name>(outer->elements[0])->context, ExprContext::kStore);
  const auto* inner = as<List>(outer->elements[1]);
  EXPECT_EQ(inner->context, ExprContext::kStore);
  EXPECT_EQ(as<Attribute>(inner->elements[0])->context, ExprContext::kStore);
  EXPECT_EQ(as<Name>(as<Attribute>(inner->elements[0])->value)->context, ExprContext::kLoad);
  const auto* subscript = as<Subscript>(as<Starred>(inner->elements[1])->value);
  EXPECT_EQ(subscript->context, ExprContext::kStore);
  EXPECT_EQ(as<Name>(subscript->index)->context, ExprContext::kLoad);
  const auto* del = as<Delete>(file->tree->body[1]);
  EXPECT_EQ(as<Subscript>(as<Tuple>(del->targets[1])->elements[0])->context, ExprContext::kDel);
  EXPECT_EQ(as<Tuple>(as<For>(file->tree->body[2])->target)->context, ExprContext::kStore);
}

TEST(Statements, AnnotationsAreSimpleWithoutParentheses) {
  const auto file = parse("x: int = 1\n(x): int\nx.y: int\n");
  ASSERT_TRUE(file->problems.empty());
  EXPECT_TRUE(as<AnnAssign>(file->tree->body[0])->is_simple);
  EXPECT_FALSE(as<AnnAssign>(file->tree->body[1])->is_simple);
  EXPECT_FALSE(as<AnnAssign>(file->tree->body[2])->is_simple);
}

TEST(Statements, TargetsThatPythonRejects) {
  for (const char* source : {"1 = x", "f() = x", "a + b = x", "None = 1", "a, 1 = x", "x += y += 1", "(a, b) += 1",
                             "a, b: int", "[a]: int", "del f()", "del *a", "for f() in x: pass", "with a as 1: pass",
                             "(yield) = 1", "'s' = 1", "f'{x}' = 1", "a := 1", "(a.b := 1)", "lambda: 0 = 1"}) {
    EXPECT_FALSE(parse(std::string(source) + "\n")->problems.empty()) << source;
  }
}

TEST(Statements, IfElifElse) {
  EXPECT_EQ(outline("if a: b\nelif c:\n    d; e;\nelse: f\n"), R"(If |if a: b\nelif c:\n    d; e;\nelse: f|
  Name |a|
  ExprStmt |b|
    Name |b|
  If |elif c:\n    d; e;\nelse: f|
    Name |c|
    ExprStmt |d|
      Name |d|
    ExprStmt |e|
      Name |e|
    ExprStmt |f|
      Name |f|
)");
}

TEST(Statements, Loops) {
  EXPECT_EQ(outline("for a, in b, *c:\n    continue\nelse:\n    d\n"),
            R"(For |for a, in b, *c:\n    continue\nelse:\n    d|
  Tuple |a,|
    Name |a|
  Tuple |b, *c|
    Name |b|
    Starred |*c|
      Name |c|
  Continue |continue|
  ExprStmt |d|
    Name |d|
)");
  EXPECT_EQ(outline("while (a := b): break\n"), R"(While |while (a := b): break|
  NamedExpr |a := b|
    Name |a|
    Name |b|
  Break |break|
)");
}

TEST(Statements, WithItems) {
  EXPECT_EQ(outline("with a as b, c: pass\n"), R"(With |with a as b, c: pass|
  WithItem |a as b|
    Name |a|
    Name |b|
  WithItem |c|
    Name |c|
  Pass |pass|
)");
  EXPECT_EQ(outline("with (\n    open(a) as b,\n    c,\n): pass\n"),
            R"(With |with (\n    open(a) as b,\n    c,\n): pass|
  WithItem |open(a) as b|
    Call |open(a)|
      Name |open|
      Name |a|
    Name |b|
  WithItem |c|
    Name |c|
  Pass |pass|
)");
}

TEST(Statements, ParenthesesThatAreNoWithItems) {
  EXPECT_EQ(outline("with (a, b) as c, d: pass\n"), R"(With |with (a, b) as c, d: pass|
  WithItem |(a, b) as c|
    Tuple |(a, b)|
      Name |a|
      Name |b|
    Name |c|
  WithItem |d|
    Name |d|
  Pass |pass|
)");
  EXPECT_EQ(outline("with (a).b(c) + 1: pass\n"), R"(With |with (a).b(c) + 1: pass|
  WithItem |(a).b(c) + 1|
    BinOp |(a).b(c) + 1|
      Call |(a).b(c)|
        Attribute |(a).b|
          Name |a|
        Name |c|
      Constant |1|
  Pass |pass|
)");
  EXPECT_EQ(outline("with (a := 1, b): pass\n"), R"(With |with (a := 1, b): pass|
  WithItem |(a := 1, b)|
    Tuple |(a := 1, b)|
      NamedExpr |a := 1|
        Name |a|
        Constant |1|
      Name |b|
  Pass |pass|
)");
  for (const char* source :
       {"with (yield): pass", "with (): pass", "with (*a, b): pass", "with (a for a in b): pass",
        "with (a) if b else (c): pass", "with (a), (b): pass", "with (a, b)[0]: pass", "async with (a) as b: pass"}) {
    EXPECT_TRUE(parse(std::string(source) + "\n")->problems.empty()) << source;
  }
  for (const char* source : {"with (a as b) as c: pass", "with (a as b).c: pass", "with (*a): pass", "with : pass"}) {
    EXPECT_FALSE(parse(std::string(source) + "\n")->problems.empty()) << source;
  }
}

TEST(Statements, Try) {
  EXPECT_EQ(outline("try:\n  a\nexcept* E as e:\n  b\nelse:\n  c\nfinally:\n  d\n"),
            R"(Try |try:\n  a\nexcept* E as e:\n  b\nelse:\n  c\nfinally:\n  d|
  ExprStmt |a|
    Name |a|
  ExceptHandler |except* E as e:\n  b|
    Name |E|
    ExprStmt |b|
      Name |b|
  ExprStmt |c|
    Name |c|
  ExprStmt |d|
    Name |d|
)");
  EXPECT_TRUE(as<Try>(parse("try: a\nexcept* E: b\n")->tree->body[0])->is_star);
  EXPECT_FALSE(as<Try>(parse("try: a\nexcept: b\n")->tree->body[0])->is_star);
  for (const char* source : {"try: a\n", "try: a\nelse: b\n", "try: a\nexcept*: b\n", "try: a\nexcept A, B: b\n",
                             "try: a\nexcept A: b\nexcept* B: c\n"}) {
    EXPECT_FALSE(parse(source)->problems.empty()) << source;
  }
}

TEST(Statements, Imports) {
  EXPECT_EQ(outline("import a . b as c, d\n"), R"(Import |import a . b as c, d|
  Alias |a . b as c|
  Alias |d|
)");
  const auto file = parse("import a . b as c\nfrom .... x.y import (z as w, v,)\nfrom . import *\n");
  ASSERT_TRUE(file->problems.empty());
  EXPECT_EQ(as<Import>(file->tree->body[0])->names[0]->name.text, "a.b");
  const auto* from = as<ImportFrom>(file->tree->body[1]);
  EXPECT_EQ(from->level, 4u);
  EXPECT_EQ(from->module.text, "x.y");
  EXPECT_EQ(from->names[0]->as_name.text, "w");
  EXPECT_EQ(from->names.size(), 2u);
  const auto* all = as<ImportFrom>(file->tree->body[2]);
  EXPECT_TRUE(all->module.text.empty());
  EXPECT_EQ(all->names[0]->name.text, "*");
  for (const char* source :
       {"import a,\n", "from a import b,\n", "from a import ()\n", "from import a\n", "import .a\n"}) {
    EXPECT_FALSE(parse(source)->problems.empty()) << source;
  }
}

TEST(Statements, SmallOnes) {
  EXPECT_EQ(outline("raise A from b\nassert a, b\nglobal x, y\nnonlocal z\ndel a,\nreturn\n"), R"(Raise |raise A from b|
  Name |A|
  Name |b|
Assert |assert a, b|
  Name |a|
  Name |b|
Global |global x, y|
Nonlocal |nonlocal z|
Delete |del a,|
  Name |a|
Return |return|
)");
}

}  // namespace
}  // namespace lockstep::python
