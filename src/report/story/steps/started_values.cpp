#include "report/story/steps/started_values.h"

#include <string_view>

#include "python/tree_walk.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/method_names.h"

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
  return member != nullptr && is_it(member->value) && rules::fills(member->name.text);
}

/// `[]`, `{}`, `set()`, `None`, `0`, `""`.
bool is_empty_value(const Expr& value) {
  if (const auto* list = as<List>(&value)) return list->elements.empty();
  if (const auto* dict = as<Dict>(&value)) return dict->values.empty();
  if (const auto* tuple = as<Tuple>(&value)) return tuple->elements.empty();
  if (const auto* constant = as<Constant>(&value))
    return constant->constant_kind == ConstantKind::kStr ? constant->text.empty()
                                                         : rules::is_none(constant) || rules::is_false(constant);
  const auto* call = as<Call>(&value);
  const std::string_view made = call == nullptr ? std::string_view() : rules::name_of(call->callee);
  return call != nullptr && call->arguments.empty() && call->keywords.empty() &&
         (made == "list" || made == "dict" || made == "set");
}

/// Whether the step at `index` stands in a branch or loop that `start` does not stand in.
bool is_in_further_branch(const std::vector<Step>& steps, std::size_t index, std::size_t start) {
  return steps[index].parent != Step::kNone && steps[index].parent > start;
}

}  // namespace

bool starts_empty(const std::vector<Step>& steps, std::size_t index) {
  const Expr* target = nullptr;
  const Expr* value = steps[index].kind == StepKind::kPlain ? assigned_value(steps[index].node, target) : nullptr;
  const auto* name = value == nullptr ? nullptr : as<Name>(target);
  if (name == nullptr || !is_empty_value(*value)) return false;
  for (std::size_t i = index + 1; i < steps.size(); ++i) {
    if (steps[i].kind != StepKind::kPlain || steps[i].status == StepStatus::kKept) continue;
    if (goes_on_from(*steps[i].node, name->id)) return true;
    const Expr* other = nullptr;
    const bool sets_it = assigned_value(steps[i].node, other) != nullptr && rules::name_of(other) == name->id;
    if (sets_it && is_in_further_branch(steps, i, index)) return true;
  }
  return false;
}

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
