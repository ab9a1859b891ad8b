#include "report/documents/drawings/data_sides.h"

#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;

namespace {

/// How many steps of [first, end) change that give something a value which is worked out: a call, a product.
std::size_t changed_data(const std::vector<Step>& steps, std::size_t first, std::size_t end) {
  std::size_t count = 0;
  for (std::size_t i = first; i < end; ++i) {
    if (steps[i].status == StepStatus::kKept || steps[i].is_moved || steps[i].kind != StepKind::kPlain) continue;
    const Expr* target = nullptr;
    const Expr* value = assigned_value(steps[i].node, target);
    if (const auto* back = as<Return>(steps[i].node)) value = back->value;
    count += is<Call>(value) || is<BinOp>(value) ? 1u : 0u;
  }
  return count;
}

}  // namespace

std::vector<Side> changed_sides(const Actor& actor) {
  const std::vector<Step>& steps = actor.steps.after;
  if (actor.is_added()) return {};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind != StepKind::kIf || steps[i].is_elif) continue;
    const Side one{i, end_of(steps, i)};
    if (one.end >= steps.size() || steps[one.end].kind != StepKind::kElse || steps[one.end].depth != steps[i].depth)
      continue;
    const Side other{one.end, end_of(steps, one.end)};
    const std::size_t of_one = changed_data(steps, one.first, one.end);
    const std::size_t of_other = changed_data(steps, other.first, other.end);
    // Where most changes elsewhere, two drawings would show the same twice.
    if (of_one > 0 && of_other > 0 && 2 * (of_one + of_other) > changed_data(steps, 0, steps.size()))
      return {one, other};
  }
  return {};
}

std::string condition_of(const std::vector<Step>& steps, const Side& side, const SourceText& source) {
  const bool is_else = steps[side.first].kind == StepKind::kElse;
  const auto* branch = as<If>(steps[side.first].node);
  return branch == nullptr ? std::string() : "when " + condition_words(*branch->condition, source, is_else);
}

}  // namespace lockstep::report
