#include "report/story/steps/kept_alternatives.h"

#include "report/source/code.h"

namespace lockstep::report {

using namespace python;

namespace {

/// "x", "self.a, y": what an assignment sets; "return" of a return; empty for other statements.
std::string target_text(const Step& step) {
  if (step.kind != StepKind::kPlain) return {};
  if (is<Return>(step.node)) return "return";
  const Expr* target = nullptr;
  if (assigned_value(step.node, target) == nullptr) return {};
  const auto* tuple = as<Tuple>(target);
  if (tuple == nullptr) return dotted_text(target);
  std::string out;
  for (const Expr* one : tuple->elements) {
    const std::string name = dotted_text(one);
    if (name.empty()) return {};
    out += name + ",";
  }
  return out;
}

}  // namespace

const Call* kept_alternative(const std::vector<Step>& after, std::size_t index) {
  const Step& step = after[index];
  const std::string target = target_text(step);
  if (step.status != StepStatus::kAdded || target.empty() || call_of_step(step) == nullptr ||
      step.parent == Step::kNone)
    return nullptr;
  const std::size_t branch = step.parent;
  const std::size_t other = end_of(after, branch);
  if (after[branch].kind != StepKind::kIf || after[branch].status != StepStatus::kAdded || other >= after.size() ||
      after[other].kind != StepKind::kElse || after[other].parent != after[branch].parent)
    return nullptr;
  for (std::size_t i = other + 1; i < end_of(after, other); ++i) {
    const bool stays = after[i].status == StepStatus::kKept && after[i].parent == other;
    if (stays && target_text(after[i]) == target) return call_of_step(after[i]);
  }
  return nullptr;
}

}  // namespace lockstep::report
