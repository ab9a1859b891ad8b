#include "report/story/steps/branch_values.h"

#include <algorithm>

#include "report/document.h"

namespace lockstep::report {

using namespace python;

std::string set_by(const Step& step, const SourceText& source) {
  const auto* assign = step.kind == StepKind::kPlain ? as<Assign>(step.node) : nullptr;
  return assign != nullptr && assign->targets.size() == 1 ? one_line_whole(source, *assign->targets.front())
                                                          : std::string();
}

bool is_one_of_several_stores(const Actor& actor, std::size_t index) {
  const std::vector<Step>& steps = actor.steps.before;
  const std::string set = set_by(steps[index], *actor.steps.before_source);
  if (set.empty()) return false;
  return std::count_if(steps.begin(), steps.end(), [&](const Step& step) {
           return step.status == StepStatus::kRemoved && set_by(step, *actor.steps.before_source) == set;
         }) > 1;
}

/// What a changed assignment's target was set to, where branches before it each set it: their values, as code, the
/// one that became this one among them; empty for others.
std::vector<std::string> values_of_branches(const Actor& actor, const Step& step) {
  constexpr std::size_t kMostText = 70;
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone) return {};
  const std::vector<Step>& before = actor.steps.before;
  const SourceText& source = *actor.steps.before_source;
  const std::string set = set_by(step, *actor.steps.after_source);
  if (set.empty() || set_by(before[step.partner], source) != set) return {};
  std::vector<std::string> values;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool is_gone = before[i].status == StepStatus::kRemoved && are_alternatives(before, i, step.partner);
    if ((i != step.partner && !is_gone) || set_by(before[i], source) != set) continue;
    values.push_back(code(one_line(source, *as<Assign>(before[i].node)->value, kMostText)));
  }
  return values.size() > 1 ? values : std::vector<std::string>();
}

}  // namespace lockstep::report
