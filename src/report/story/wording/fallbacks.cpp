#include "report/story/wording/fallbacks.h"

#include <fmt/format.h>

#include "report/document.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// `name = value` of one name; null for others.
const Assign* setting_of(const Step& step) {
  const auto* assign = step.kind == StepKind::kPlain && step.status == StepStatus::kAdded && !step.is_moved
                           ? as<Assign>(step.node)
                           : nullptr;
  return assign != nullptr && assign->targets.size() == 1 && is<Name>(assign->targets.front()) ? assign : nullptr;
}

}  // namespace

std::string fallback_words(const Actor& actor, std::size_t index) {
  constexpr std::size_t kWidth = 60;
  const std::vector<Step>& steps = actor.steps.after;
  const Step& branch = steps[index];
  const auto* asked = as<If>(branch.node);
  if (index == 0 || index + 1 >= steps.size() || branch.kind != StepKind::kIf || branch.is_elif ||
      branch.status != StepStatus::kAdded || asked == nullptr || asked->body.size() != 1 || !asked->orelse.empty())
    return {};
  const Assign* first = steps[index - 1].parent == branch.parent ? setting_of(steps[index - 1]) : nullptr;
  const Assign* second = steps[index + 1].parent == index ? setting_of(steps[index + 1]) : nullptr;
  const auto test = rules::none_test(*asked->condition);
  if (first == nullptr || second == nullptr || !test || !test->is_none) return {};
  const std::string_view name = as<Name>(first->targets.front())->id;
  const auto* subject = as<Name>(test->subject);
  if (subject == nullptr || subject->id != name || as<Name>(second->targets.front())->id != name ||
      is<Constant>(first->value))
    return {};
  const SourceText& source = *actor.steps.after_source;
  return fmt::format("sets {} to {}, or, where that is {}, to {}", code(name),
                     code(one_line(source, *first->value, kWidth)), code("None"),
                     code(one_line(source, *second->value, kWidth)));
}

}  // namespace lockstep::report
