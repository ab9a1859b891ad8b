#include "report/story/steps/default_settings.h"

#include <fmt/format.h>

#include "report/document.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The attribute of `self` that a new plain step sets, with what; empty for other steps.
std::string_view set_anew(const Step& step, const Expr*& value) {
  if (step.status != StepStatus::kAdded || step.is_moved || step.kind != StepKind::kPlain) return {};
  const Expr* target = nullptr;
  value = assigned_value(step.node, target);
  return value == nullptr ? std::string_view() : rules::self_attribute(target);
}

/// The other step of the pair, `later` or earlier than this one; Step::kNone where there is none, or more.
std::size_t other_of(const std::vector<Step>& steps, std::size_t index) {
  const Expr* value = nullptr;
  const std::string_view name = set_anew(steps[index], value);
  if (name.empty()) return Step::kNone;
  std::size_t other = Step::kNone;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Expr* target = nullptr;
    const Expr* given = steps[i].kind == StepKind::kPlain ? assigned_value(steps[i].node, target) : nullptr;
    if (i == index || given == nullptr || rules::self_attribute(target) != name) continue;
    if (other != Step::kNone || steps[i].status != StepStatus::kAdded) return Step::kNone;
    other = i;
  }
  return other;
}

bool are_pair(const std::vector<Step>& steps, std::size_t first, std::size_t later) {
  const Expr* start = nullptr;
  if (first >= later || set_anew(steps[first], start).empty() || !is<Constant>(start)) return false;
  const std::size_t holder = steps[later].parent;
  return steps[first].depth < steps[later].depth && holder != Step::kNone && steps[holder].kind == StepKind::kIf &&
         steps[holder].status == StepStatus::kKept && steps[holder].parent == steps[first].parent;
}

}  // namespace

bool is_default_of_later(const Actor& actor, std::size_t index) {
  const std::size_t other = other_of(actor.steps.after, index);
  return other != Step::kNone && are_pair(actor.steps.after, index, other);
}

std::string default_before_words(const Actor& actor, std::size_t index) {
  const std::size_t other = other_of(actor.steps.after, index);
  if (other == Step::kNone || !are_pair(actor.steps.after, other, index)) return {};
  const Expr* start = nullptr;
  (void)set_anew(actor.steps.after[other], start);
  return fmt::format(", else to {}", code(one_line(*actor.steps.after_source, *start, 40)));
}

}  // namespace lockstep::report
