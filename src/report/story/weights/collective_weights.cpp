#include "report/story/weights/collective_weights.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "base/find_text.h"
#include "change/names.h"

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

}  // namespace

void weigh_collectives(std::vector<Actor>& actors) {
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
    if (!changes) continue;
    if (actor.weight > most) heaviest = &actor;
    most = std::max(most, actor.weight);
    actor.weight = std::max(actor.weight, kEarly * top);
  }
  if (heaviest != nullptr && most >= kMuch * top) heaviest->weight = std::max(heaviest->weight, kAbove * top);
}

}  // namespace lockstep::report
