#include "report/story/checks/refusals.h"

#include <algorithm>

#include "report/story/wording/operands.h"

namespace lockstep::report {

using namespace python;

namespace {

/// One of which has to hold: the values of `a or b`, with `not` carried in; the operand itself where it is no choice.
std::vector<Guard> alternatives_of(const Guard& operand) {
  const auto* either = as<BoolOp>(operand.condition);
  if (either == nullptr || (either->op == BoolOperator::kOr) == operand.negated) return {operand};
  std::vector<Guard> out;
  for (const Expr* value : either->values) out.push_back({nullptr, value, operand.negated});
  return out;
}

}  // namespace

Refusals::Refusals(const Actor& actor)
    : before_source_(actor.steps.before_source), after_source_(actor.steps.after_source) {
  if (actor.change->before) before_ = of(actor.steps.before, actor.change->before->node, before_source_);
  if (actor.change->after) after_ = of(actor.steps.after, actor.change->after->node, after_source_);
}

std::vector<Refusals::Refusal> Refusals::of(const std::vector<Step>& steps, const Node* function,
                                            const SourceText* source) {
  std::vector<Refusal> out;
  if (function == nullptr || source == nullptr) return out;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const auto* claim = as<Assert>(step.node);
    const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
    const bool raises =
        branch != nullptr && only_refuses(steps, i) && !branch->body.empty() && is<Raise>(branch->body.back());
    if (claim == nullptr && !raises) continue;
    Refusal one;
    one.step = i;
    if (claim != nullptr) add_operands(*claim->test, true, one.operands);
    if (raises) add_operands(*branch->condition, false, one.operands);
    for (const Guard& guard : guards_of(*function, step.span)) {
      if (guard.condition != nullptr) add_operands(*guard.condition, guard.negated, one.operands);
    }
    for (const Guard& operand : one.operands) one.texts.insert(operand_text(operand, *source));
    out.push_back(std::move(one));
  }
  return out;
}

const Refusals::Refusal* Refusals::at(const std::vector<Refusal>& all, std::size_t step) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Refusal& one) { return one.step == step; });
  return found == all.end() ? nullptr : &*found;
}

bool Refusals::implies(const Refusal& narrow, const Refusal& wide, const SourceText& source_of_wide) {
  return std::all_of(wide.operands.begin(), wide.operands.end(), [&](const Guard& operand) {
    const std::vector<Guard> alternatives = alternatives_of(operand);
    return std::any_of(alternatives.begin(), alternatives.end(), [&](const Guard& one) {
      std::vector<Guard> parts;
      add_operands(*one.condition, one.negated, parts);
      return std::all_of(parts.begin(), parts.end(),
                         [&](const Guard& part) { return narrow.texts.contains(operand_text(part, source_of_wide)); });
    });
  });
}

bool Refusals::is_still_refused(std::size_t before) const {
  const Refusal* gone = at(before_, before);
  return gone != nullptr && std::any_of(after_.begin(), after_.end(),
                                        [&](const Refusal& one) { return implies(*gone, one, *after_source_); });
}

std::size_t Refusals::refused_before(std::size_t after) const {
  const Refusal* come = at(after_, after);
  if (come == nullptr) return Step::kNone;
  const auto found = std::find_if(before_.begin(), before_.end(),
                                  [&](const Refusal& one) { return implies(*come, one, *before_source_); });
  return found == before_.end() ? Step::kNone : found->step;
}

std::vector<Guard> Refusals::further(std::size_t after, std::size_t before) const {
  const Refusal* come = at(after_, after);
  const Refusal* was = at(before_, before);
  std::vector<Guard> out;
  if (come == nullptr || was == nullptr) return out;
  for (const Guard& operand : come->operands) {
    if (!was->texts.contains(operand_text(operand, *after_source_))) out.push_back(operand);
  }
  return out;
}

}  // namespace lockstep::report
