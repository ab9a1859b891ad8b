#include "report/story/started_values.h"

#include <string_view>

#include "python/tree_walk.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether the step stands in a loop that is no older than step `start`.
bool is_in_loop_after(const std::vector<Step>& steps, std::size_t index, std::size_t start) {
  for (std::size_t at = steps[index].parent; at != Step::kNone && at > start; at = steps[at].parent) {
    if (steps[at].kind == StepKind::kFor || steps[at].kind == StepKind::kWhile) return true;
  }
  return false;
}

/// `x = f(x)`, `x += y`, `x.append(y)`, `x[k] = y`.
bool goes_on_from(const Node& statement, std::string_view name) {
  const Expr* target = nullptr;
  const auto is_it = [&](const Expr* one) {
    const auto* read = as<Name>(one);
    return read != nullptr && read->id == name;
  };
  if (const Expr* value = assigned_value(&statement, target)) {
    if (const auto* element = as<Subscript>(target)) return is_it(element->value);
    return is_it(target) && rules::mentions_name(*value, name);
  }
  if (const auto* grown = as<AugAssign>(&statement)) return is_it(grown->target);
  const auto* alone = as<ExprStmt>(&statement);
  const auto* call = alone == nullptr ? nullptr : as<Call>(alone->value);
  const auto* member = call == nullptr ? nullptr : as<Attribute>(call->callee);
  if (member == nullptr || !is_it(member->value)) return false;
  for (const std::string_view filling : {"append", "extend", "add", "update", "insert", "appendleft", "setdefault"}) {
    if (member->name.text == filling) return true;
  }
  return false;
}

}  // namespace

bool only_starts(const std::vector<Step>& steps, std::size_t index) {
  const Step& step = steps[index];
  const Expr* target = nullptr;
  if (step.kind != StepKind::kPlain || assigned_value(step.node, target) == nullptr) return false;
  const auto* name = as<Name>(target);
  if (name == nullptr) return false;
  for (std::size_t i = index + 1; i < steps.size(); ++i) {
    if (steps[i].kind == StepKind::kPlain && steps[i].status != StepStatus::kKept &&
        goes_on_from(*steps[i].node, name->id) && is_in_loop_after(steps, i, index))
      return true;
  }
  return false;
}

}  // namespace lockstep::report
