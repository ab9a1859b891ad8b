#include "report/story/steps/replaced_returns.h"

#include <algorithm>
#include <set>
#include <string>

#include "report/source/code.h"

namespace lockstep::report {

using namespace python;

namespace {

/// A return with a value; null for other steps.
const Return* result_of(const Step& step) {
  const auto* result = step.kind == StepKind::kPlain ? as<Return>(step.node) : nullptr;
  return result == nullptr || result->value == nullptr ? nullptr : result;
}

/// The changed return directly in the body of the new version, where it is the only one that is not as it was; else
/// Step::kNone.
std::size_t only_new_return(const Actor& actor) {
  std::size_t found = Step::kNone;
  const std::vector<Step>& steps = actor.steps.after;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].status == StepStatus::kKept || as<Return>(steps[i].node) == nullptr) continue;
    const bool fits = found == Step::kNone && steps[i].status == StepStatus::kChanged &&
                      steps[i].partner != Step::kNone && steps[i].parent == Step::kNone &&
                      result_of(steps[i]) != nullptr && result_of(actor.steps.before[steps[i].partner]) != nullptr;
    if (!fits) return Step::kNone;
    found = i;
  }
  return found;
}

}  // namespace

std::vector<std::size_t> returns_replaced_by(const Actor& actor, std::size_t index) {
  std::vector<std::size_t> out;
  std::set<std::string> values;
  if (actor.is_added() || actor.is_removed() || only_new_return(actor) != index) return out;
  for (std::size_t b = 0; b < actor.steps.before.size(); ++b) {
    const Step& step = actor.steps.before[b];
    const bool goes = step.status == StepStatus::kRemoved && !step.is_moved && step.elsewhere == nullptr;
    const Return* result = result_of(step);
    if (result == nullptr || (!goes && b != actor.steps.after[index].partner)) continue;
    // What several returned alike is one value.
    if (values.insert(one_line_whole(*actor.steps.before_source, *result->value)).second) out.push_back(b);
  }
  if (out.size() < 2) out.clear();
  return out;
}

std::vector<std::size_t> returns_in_place_of(const Actor& actor, std::size_t index) {
  std::vector<std::size_t> out;
  const Step& was = actor.steps.before[index];
  const bool goes = was.status == StepStatus::kRemoved && !was.is_moved && was.elsewhere == nullptr;
  if (!goes || result_of(was) == nullptr || was.parent != Step::kNone) return out;
  const auto returns = std::count_if(actor.steps.before.begin(), actor.steps.before.end(),
                                     [](const Step& step) { return is<Return>(step.node); });
  std::set<std::string> values;
  for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
    const Step& step = actor.steps.after[i];
    if (!is<Return>(step.node)) continue;
    const Return* result = result_of(step);
    if (step.status != StepStatus::kAdded || step.is_moved || result == nullptr) return {};
    if (values.insert(one_line_whole(*actor.steps.after_source, *result->value)).second) out.push_back(i);
  }
  return returns == 1 && out.size() > 1 ? out : std::vector<std::size_t>();
}

bool is_replaced_return(const Actor& actor, std::size_t index) {
  if (result_of(actor.steps.before[index]) == nullptr) return false;
  const std::size_t now = only_new_return(actor);
  if (now == Step::kNone) return false;
  const std::vector<std::size_t> all = returns_replaced_by(actor, now);
  return std::find(all.begin(), all.end(), index) != all.end();
}

}  // namespace lockstep::report
