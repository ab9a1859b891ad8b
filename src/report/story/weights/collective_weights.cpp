#include "report/story/weights/collective_weights.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/find_text.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/story/steps/newly_under.h"
#include "report/story/wording/operands.h"

namespace lockstep::report {

using change::DifferenceKind;

namespace {

/// Whether a step that is gone for good named the collective.
bool is_gone(const Actor& actor, std::string_view collective) {
  const std::string_view name = change::last_part(collective);
  return actor.steps.before_source != nullptr &&
         std::any_of(actor.steps.before.begin(), actor.steps.before.end(), [&](const Step& step) {
           const bool is_elsewhere =
               step.is_moved || step.elsewhere != nullptr || step.inlined != nullptr || step.is_still_issued;
           return step.status != StepStatus::kKept && !is_elsewhere &&
                  find_name(actor.steps.before_source->slice(step.span), name) != std::string_view::npos;
         });
}

/// Whether a call in unchanged code surely enters a function that can come to a collective.
bool may_come_to_collective(const DocumentInputs& inputs, const std::vector<Step>& steps, std::size_t from) {
  bool found = false;
  for (std::size_t i = from + 1; i < end_of(steps, from) && !found; ++i) {
    if (steps[i].status == StepStatus::kAdded || steps[i].kind != StepKind::kPlain) continue;
    python::walk_of<python::Call>(*steps[i].node, python::Nested::kSkip, [&](const python::Call* call) {
      const program::CallId id = inputs.after->call_of(call);
      if (found || !id.valid()) return;
      for (const program::CallTarget& target : inputs.after->calls()[id].targets)
        found =
            found || (target.function.valid() && program::surely_enters(inputs.after->calls()[id], target.function) &&
                      inputs.after_mesh->may_communicate(target.function));
    });
  }
  return found;
}

/// Whether a condition asks for more than before, for less, or is new around work that was done without it.
bool asks_more_or_less(const Actor& actor, std::size_t index) {
  const Step& step = actor.steps.after[index];
  const auto* branch = python::as<python::If>(step.node);
  if (step.kind != StepKind::kIf || branch == nullptr || !step.renames.empty() || step.is_moved) return false;
  if (step.status == StepStatus::kAdded) return guards_work_that_was_done(actor.steps, index);
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone) return false;
  const auto* was = python::as<python::If>(actor.steps.before[step.partner].node);
  if (was == nullptr) return false;
  const std::set<std::string> before = operand_texts(*was->condition, *actor.steps.before_source);
  const std::set<std::string> after = operand_texts(*branch->condition, *actor.steps.after_source);
  return before.size() != after.size() && (std::includes(before.begin(), before.end(), after.begin(), after.end()) ||
                                           std::includes(after.begin(), after.end(), before.begin(), before.end()));
}

/// Whether a condition that asks for more or less now, or that is new, stands before a call that was there and can come
/// to a collective: some ranks or runs skip it now, or come to it for the first time.
bool decides_anew(const DocumentInputs& inputs, const Actor& actor) {
  if (inputs.after_mesh == nullptr) return false;
  const std::vector<Step>& steps = actor.steps.after;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (asks_more_or_less(actor, i) && steps[i].taken_from == nullptr && may_come_to_collective(inputs, steps, i))
      return true;
  }
  return false;
}

}  // namespace

void weigh_collectives(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr double kEarly = 0.5;  // Of the heaviest one's weight.
  constexpr double kMuch = 0.3;
  constexpr double kAbove = 1.02;
  // By name: how many more of them the change adds than it takes away.
  std::map<std::string, int> balance;
  const auto counts = [](const Actor& actor) {
    return actor.role == Role::kSupporting && actor.is_function() && !actor.is_module_code;
  };
  double top = 0;
  for (const Actor& actor : actors) {
    if (!counts(actor)) continue;
    top = std::max(top, actor.weight);
    for (const change::Difference& one : actor.change->differences) {
      if (one.kind == DifferenceKind::kCollectiveAdded) ++balance[one.name];
      if (one.kind == DifferenceKind::kCollectiveRemoved) --balance[one.name];
    }
  }
  Actor* heaviest = nullptr;
  double most = 0;
  for (Actor& actor : actors) {
    if (!counts(actor) || actor.is_added() || actor.is_removed()) continue;
    const auto& differences = actor.change->differences;
    const bool changes = std::any_of(differences.begin(), differences.end(), [&](const change::Difference& one) {
      return (one.kind == DifferenceKind::kCollectiveAdded && balance[one.name] > 0) ||
             (one.kind == DifferenceKind::kCollectiveRemoved && balance[one.name] < 0 && is_gone(actor, one.name));
    });
    if (!changes) {
      if (decides_anew(inputs, actor)) actor.weight = std::max(actor.weight, kEarly * top);
      continue;
    }
    if (actor.weight > most) heaviest = &actor;
    most = std::max(most, actor.weight);
    actor.weight = std::max(actor.weight, kEarly * top);
  }
  if (heaviest != nullptr && most >= kMuch * top) heaviest->weight = std::max(heaviest->weight, kAbove * top);
}

}  // namespace lockstep::report
