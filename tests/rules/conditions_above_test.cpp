// The nearest condition above a part of a function.
#include "rules/syntax/conditions_above.h"

#include <gtest/gtest.h>

#include <string>

#include "python/facts.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"

namespace lockstep::rules {
namespace {

/// The condition above the call of `work` in a function with this body.
std::string above(const std::string& body) {
  const auto facts = python::extract_facts("def f(self, x):\n" + body);
  std::string out = "no call";
  python::walk(facts->tree(), python::Nested::kEnter, [&](const python::Node* function) {
    if (!python::is<python::FunctionDef>(function)) return;
    python::walk_of<python::Call>(*function, python::Nested::kSkip, [&](const python::Call* call) {
      if (last_part_of(call) == "work") out = condition_above(*facts, *function, call->span);
    });
  });
  return out;
}

TEST(ConditionsAbove, TheNearestBranchOrEarlyExit) {
  EXPECT_EQ(above("    for y in x:\n        work(y)\n"), "");
  EXPECT_EQ(above("    if x:\n        g()\n    work(x)\n"), "");
  EXPECT_EQ(above("    if self.a:\n        if x.b > 1:\n            work(x)\n"), "when `x.b > 1`");
  EXPECT_EQ(above("    if self.a:\n        g()\n    else:\n        work(x)\n"), "unless `self.a`");
  EXPECT_EQ(above("    if self.a:\n        g()\n    elif x:\n        work(x)\n"), "when `x`, unless `self.a`");
  const std::string chain = "    if self.a:\n        g()\n    elif x:\n        h()\n    else:\n        work(x)\n";
  EXPECT_EQ(above(chain), "unless `self.a` or `x`");
  EXPECT_EQ(above("    if self.a:\n        g()\n    else:\n        g()\n        if x:\n            work(x)\n"),
            "when `x`");
  EXPECT_EQ(above("    if x is None:\n        return\n    work(x)\n"), "unless `x is None`");
  EXPECT_EQ(above("    if x is None:\n        raise ValueError(x)\n    work(x)\n"), "");
  EXPECT_EQ(above("    if work(x):\n        return\n"), "");
  EXPECT_EQ(above("    return work(x) if self.a else x\n"), "when `self.a`");
  EXPECT_EQ(
      above("    if self.a:\n        for y in x:\n            if y:\n                continue\n            work(y)\n"),
      "unless `y`");
}

}  // namespace
}  // namespace lockstep::rules
