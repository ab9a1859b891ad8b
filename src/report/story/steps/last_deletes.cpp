#include "report/story/steps/last_deletes.h"

#include <algorithm>
#include <string_view>

#include "python/tree_walk.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether what is returned is there already: names, attributes, constants and tuples of these.
bool is_at_hand(const Expr* value) {
  if (const auto* tuple = as<Tuple>(value))
    return std::all_of(tuple->elements.begin(), tuple->elements.end(), [](const Expr* one) { return is_at_hand(one); });
  return value == nullptr || is<Name>(value) || is<Constant>(value) || !dotted_text(value).empty();
}

/// Whether a function or comprehension inside reads the name: it holds the object as well.
bool is_held_inside(const FunctionDef& def, std::string_view name) {
  bool found = false;
  walk(def, Nested::kEnter, [&](const Node* node) {
    if (node == &def) return;
    if (const auto* inner = as<FunctionDef>(node)) found = found || rules::mentions_name(*inner, name);
    if (const auto* lambda = as<Lambda>(node)) found = found || rules::mentions_name(*lambda, name);
  });
  return found;
}

/// The `return` that is all that follows the step; null where something else does.
const Return* only_return_after(const std::vector<Step>& steps, std::size_t index) {
  const std::size_t next = index + 1;
  if (next >= steps.size() || steps[next].depth != steps[index].depth || steps[next].parent != steps[index].parent)
    return nullptr;
  for (std::size_t up = steps[index].parent; up != Step::kNone; up = steps[up].parent) {
    if (steps[up].kind == StepKind::kTry || steps[up].kind == StepKind::kWith) return nullptr;  // More runs then.
  }
  const auto* returned = as<Return>(steps[next].node);
  return returned != nullptr && is_at_hand(returned->value) ? returned : nullptr;
}

}  // namespace

bool lets_go_at_return(const Actor& actor, std::size_t index) {
  const Step& step = actor.steps.after[index];
  const auto* def = actor.change->after ? as<FunctionDef>(actor.change->after->node) : nullptr;
  const auto* deleted = step.status == StepStatus::kKept || step.is_moved ? nullptr : as<Delete>(step.node);
  return def != nullptr && deleted != nullptr && only_return_after(actor.steps.after, index) != nullptr &&
         std::all_of(deleted->targets.begin(), deleted->targets.end(), [&](const Expr* target) {
           return is<Name>(target) && !is_held_inside(*def, rules::name_of(target));
         });
}

}  // namespace lockstep::report
