#include "report/story/wording/asked_locals.h"

#include <fmt/format.h>

#include <algorithm>

#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/local_values.h"

namespace lockstep::report {

using namespace python;

namespace {

bool is_question(const Expr& value) {
  const auto* opposite = as<UnaryOp>(&value);
  return is<Compare>(&value) || is<BoolOp>(&value) || (opposite != nullptr && opposite->op == UnaryOperator::kNot);
}

/// Whether an unchanged step before `index` gives the value.
bool is_given_before(const std::vector<Step>& steps, std::size_t index, const Expr* value) {
  return std::any_of(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(index), [&](const Step& step) {
    const Expr* target = nullptr;
    return step.status == StepStatus::kKept && assigned_value(step.node, target) == value;
  });
}

}  // namespace

LocalValue asked_local_at(const Actor& actor, std::size_t index) {
  constexpr std::size_t kLongest = 170;
  const Step& step = actor.steps.after[index];
  const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
  const auto* def = actor.change->after ? as<FunctionDef>(actor.change->after->node) : nullptr;
  LocalValue out;
  if (branch == nullptr || def == nullptr || actor.is_added() || step.status == StepStatus::kKept) return out;
  const auto look = [&](const Name* name) {
    if (!out.name.empty()) return;
    const Expr* value = only_value_of(*def, name->id);
    if (value == nullptr || !is_question(*value) || !is_given_before(actor.steps.after, index, value)) return;
    const std::string text = one_line_whole(*actor.steps.after_source, *value);
    if (text.size() <= kLongest)
      out = {std::string(name->id), fmt::format("{} being {}", code(name->id), code(text)), {}};
  };
  if (const auto* whole = as<Name>(branch->condition)) look(whole);
  walk_of<Name>(*branch->condition, Nested::kSkip, look);
  return out;
}

}  // namespace lockstep::report
