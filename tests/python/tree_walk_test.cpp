#include "python/tree_walk.h"

#include <gtest/gtest.h>

#include "python/outline.h"

namespace lockstep::python {
namespace {

constexpr const char* kSource =
    "@d1\n"
    "def f(a=d2, *b: d3) -> d4:\n"
    "    x = [i for i in y]\n"
    "    @e1\n"
    "    def g(c=e2): inner1\n"
    "    class C(e3, k=e4): inner2\n"
    "    h = lambda z=e5: inner3\n"
    "    if x:\n"
    "        last\n";

std::string names_below(const ParsedFile& file, Nested nested) {
  std::string names;
  walk_of<Name>(*file.tree->body[0], nested, [&](const Name* name) { names += std::string(name->id) + " "; });
  return names;
}

TEST(TreeWalk, VisitsInTheOrderOfTheSource) {
  const auto file = parse(kSource);
  EXPECT_EQ(names_below(*file, Nested::kEnter), "d1 d2 d3 d4 x i i y e1 e2 inner1 e3 e4 inner2 h e5 inner3 x last ");
}

TEST(TreeWalk, NestedScopesCanBeLeftOut) {
  const auto file = parse(kSource);
  EXPECT_EQ(names_below(*file, Nested::kSkip), "d1 d2 d3 d4 x i i y e1 e2 e3 e4 h e5 x last ");
}

TEST(TreeWalk, AVisitorCanDecline) {
  const auto file = parse("f(a, b[c])\ng\n");
  std::string kinds;
  walk(*file->tree, Nested::kEnter, [&](const Node* node) {
    kinds += std::string(kind_name(node->kind)) + " ";
    return !is<Subscript>(node);
  });
  EXPECT_EQ(kinds, "ExprStmt Call Name Name Subscript ExprStmt Name ");
}

TEST(TreeWalk, ArgumentsAreVisitedAsTheyStand) {
  const auto file = parse("f(a, k=b, *c, m=d)\n");
  std::string names;
  walk_of<Name>(*file->tree, Nested::kEnter, [&](const Name* name) { names += name->id; });
  EXPECT_EQ(names, "fabcd");
}

TEST(TreeWalk, StatementsAndExpressionsAlone) {
  const auto file = parse(kSource);
  int statements = 0, outer_statements = 0, expressions = 0;
  walk_statements(*file->tree, Nested::kEnter, [&](const Stmt*) { ++statements; });
  walk_statements(*file->tree->body[0], Nested::kSkip, [&](const Stmt*) { ++outer_statements; });
  walk_expressions(*file->tree, Nested::kEnter, [&](const Expr* expression) {
    EXPECT_TRUE(is_expression(expression));
    ++expressions;
  });
  EXPECT_EQ(statements, 9);
  EXPECT_EQ(outer_statements, 6);
  EXPECT_EQ(expressions, 21);
}

TEST(TreeWalk, Blocks) {
  const auto file = parse("try: a\nexcept E: b\nelse: c\nfinally: d\n");
  int blocks = 0;
  for_each_block(*file->tree->body[0], [&](Seq<Stmt> block) { blocks += static_cast<int>(block.size()); });
  EXPECT_EQ(blocks, 4);
}

}  // namespace
}  // namespace lockstep::python
