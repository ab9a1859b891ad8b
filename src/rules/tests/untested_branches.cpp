#include "rules/tests/untested_branches.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "python/tree_walk.h"
#include "rules/place.h"
#include "rules/syntax/expressions.h"
#include "rules/tests/test_home.h"

namespace lockstep::rules {

using namespace python;
using change::EntityChange;
using program::FunctionId;
using program::Program;

namespace {

/// An `if` with something to do in its body: not one that only raises, warns, logs or returns.
bool does_something(const If& branch) {
  return std::any_of(branch.body.begin(), branch.body.end(), [](const Stmt* statement) {
    if (is<Raise>(statement) || is<Pass>(statement) || is<Return>(statement) || is<Continue>(statement)) return false;
    const auto* value = as<ExprStmt>(statement);
    return value == nullptr || !is_log_call(value->value);
  });
}

/// Of a function: how often each condition decides something, and the branches by condition and what they do.
struct Branches {
  std::map<std::string, int> conditions;
  std::map<std::string, const If*> by_text;
};

Branches branches_of(const Program& program, FunctionId function) {
  Branches branches;
  const program::Function& row = program.functions()[function];
  const FileFacts& facts = *program.modules()[row.module].facts;
  if (row.def() == nullptr) return branches;
  walk_of<If>(*row.def(), Nested::kSkip, [&](const If* branch) {
    std::string text = node_key(facts, *branch->condition);
    ++branches.conditions[text];  // One that only returned asked the same.
    if (!does_something(*branch)) return;
    for (const Stmt* statement : branch->body) text += "\n" + node_key(facts, *statement);
    branches.by_text.try_emplace(std::move(text), branch);
  });
  return branches;
}

/// `x is None`, `not x`: the branch for runs that set nothing.
bool asks_for_absence(const Expr& condition) {
  if (const auto* unary = as<UnaryOp>(&condition)) return unary->op == UnaryOperator::kNot;
  const auto test = none_test(condition);
  return test && test->is_none;
}

}  // namespace

void report_branches(const RuleContext& context, std::string_view rule, const Tests& tests,
                     const std::vector<const EntityChange*>& modified, std::vector<Finding>& findings) {
  for (const EntityChange* entity : modified) {
    const FunctionId after = entity->after->function;
    const bool covered = tests.cover(after);
    if (covered && !tests.pass_over(after)) continue;
    if (!covered && tests.start(after)) continue;
    const auto before = branches_of(*context.before, entity->before->function);
    const Branches now = branches_of(context.program, after);
    // In the order of the source; what is done where nothing is given comes last.
    std::vector<std::pair<std::string_view, const If*>> in_order(now.by_text.begin(), now.by_text.end());
    std::sort(in_order.begin(), in_order.end(), [](const auto& a, const auto& b) {
      return std::pair(asks_for_absence(*a.second->condition), a.second->span.begin) <
             std::pair(asks_for_absence(*b.second->condition), b.second->span.begin);
    });
    for (const auto& [text, branch] : in_order) {
      // A condition that the function tests once more than before, with a body that it did not have.
      const std::string condition(text.substr(0, text.find('\n')));
      const auto known = before.conditions.find(condition);
      const bool is_new = known == before.conditions.end() || now.conditions.at(condition) > known->second;
      if (!is_new || before.by_text.contains(std::string(text))) continue;
      const program::Function& row = context.program.functions()[after];
      Finding finding = finding_at(context.program, rule, row.module, branch->condition->span);
      const bool is_aim = covered || tests.may_reach(after);
      finding.severity = is_aim ? Severity::kP2 : Severity::kP1;
      finding.certainty = FindingCertainty::kLikely;
      finding.category = Category::kTests;
      finding.message = fmt::format("No test {} the new branch `if {}` of `{}`", is_aim ? "is aimed at" : "reaches",
                                    quote(*context.program.modules()[row.module].facts, branch->condition->span),
                                    short_name(context.program, after));
      finding.why = fmt::format(
          "{}, and the change touches no test.",
          covered  ? fmt::format("No test names `{}`", row.name)
          : is_aim ? fmt::format("No call leads from the repository's tests to `{}`, though a table, a registry or "
                                 "another package may",
                                 row.name)
                   : fmt::format("The call graph from the repository's tests does not get to `{}`, no test names it",
                                 row.name));
      const auto [home, exists] = home_of_tests(tests.paths(), context.program.modules()[row.module]);
      finding.fix = exists ? fmt::format("Add a case to `{}` that takes the branch.", home)
                           : fmt::format("Add a test that takes the branch, for example in a new `{}`.", home);
      findings.push_back(std::move(finding));
      return;
    }
  }
}

}  // namespace lockstep::rules
