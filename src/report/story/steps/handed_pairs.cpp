#include "report/story/steps/handed_pairs.h"

#include <algorithm>

#include "program/queries.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

/// The function that the call of a step surely enters, and no other; none where there is none.
FunctionId callee_of(const DocumentInputs& inputs, const Step& step) {
  const Call* call = call_of_step(step);
  const program::CallId id = call == nullptr ? program::CallId() : inputs.after->call_of(call);
  if (!id.valid() || inputs.after->calls()[id].targets.size() != 1) return {};
  const program::CallSite& site = inputs.after->calls()[id];
  const FunctionId callee = site.targets.front().function;
  return callee.valid() && program::surely_enters(site, callee) ? callee : FunctionId();
}

/// The outermost branch around a step that goes with it; kNone where none does.
std::size_t branch_that_goes(const std::vector<Step>& steps, std::size_t index) {
  std::size_t out = Step::kNone;
  for (std::size_t at = steps[index].parent; at != Step::kNone; at = steps[at].parent) {
    if (steps[at].status != StepStatus::kRemoved) break;
    out = at;
  }
  return out;
}

/// Whether another step of the branch is one that the function has now. The `else` of an `if` is a step of its own.
bool hands_over_others(const std::vector<Step>& steps, std::size_t branch, std::size_t index,
                       const change::EntityChange* taker) {
  const Node* whole = steps[branch].node;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool is_inside = i != index && whole != nullptr && whole->span.contains(steps[i].span);
    if (is_inside && steps[i].status == StepStatus::kRemoved && steps[i].elsewhere == taker) return true;
  }
  return false;
}

}  // namespace

void part_handed_pairs(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  for (Actor& actor : actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_added() || actor.is_removed()) continue;
    for (Step& step : actor.steps.after) {
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone || step.is_moved) continue;
      const FunctionId callee = callee_of(inputs, step);
      const auto taker = std::find_if(actors.begin(), actors.end(), [&](const Actor& one) {
        return callee.valid() && one.is_added() && one.change->after && one.change->after->function == callee;
      });
      if (taker == actors.end()) continue;
      const std::size_t branch = branch_that_goes(actor.steps.before, step.partner);
      if (branch == Step::kNone || !hands_over_others(actor.steps.before, branch, step.partner, taker->change))
        continue;
      Step& old = actor.steps.before[step.partner];
      old.status = StepStatus::kRemoved;
      old.partner = Step::kNone;
      old.elsewhere = taker->change;
      old.differs_there = true;
      step.status = StepStatus::kAdded;
      step.partner = Step::kNone;
    }
  }
}

}  // namespace lockstep::report
