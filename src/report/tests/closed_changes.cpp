#include "report/tests/closed_changes.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/source/code.h"

namespace lockstep::report {

using program::FunctionId;

namespace {

/// The guards of each changed step of a function of both versions, a new branch's own condition among those of its
/// head; none where something runs without any, or goes without another step in its place.
std::vector<std::vector<Guard>> guards_of_changes(const Actor& actor) {
  constexpr std::size_t kMostSteps = 60;
  std::vector<std::vector<Guard>> out;
  const auto goes = [](const Step& one) { return one.status == StepStatus::kRemoved && one.partner == Step::kNone; };
  if (std::any_of(actor.steps.before.begin(), actor.steps.before.end(), goes)) return out;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept && !step.is_moved) continue;
    std::vector<Guard> guards = guards_of(*actor.change->after->node, step.span);
    std::erase_if(guards, [](const Guard& guard) { return guard.condition == nullptr; });
    const auto* branch = step.kind == StepKind::kIf ? python::as<python::If>(step.node) : nullptr;
    if (branch != nullptr && step.status == StepStatus::kAdded) guards.push_back({branch, branch->condition, false});
    if (guards.empty() || out.size() == kMostSteps) return {};
    out.push_back(std::move(guards));
  }
  return out;
}

}  // namespace

std::vector<std::string> leave_out_not_running(const TestConditions& conditions, const Actor& actor,
                                               const std::unordered_set<std::uint32_t>& leading,
                                               std::vector<TestReach>& tests) {
  constexpr std::size_t kMostTests = 24;
  if (actor.is_added() || !actor.is_function() || !actor.change->after || actor.steps.after_source == nullptr)
    return {};
  const FunctionId function = actor.change->after->function;
  const std::vector<std::vector<Guard>> changes =
      function.valid() ? guards_of_changes(actor) : std::vector<std::vector<Guard>>();
  if (changes.empty()) return {};
  std::vector<std::string> needed;
  const auto note = [&](const Guard& guard) {
    const std::string asked = one_line(*actor.steps.after_source, *guard.condition, 60);
    constexpr std::string_view kIsNone = " is None";
    std::string text = !guard.negated ? " " + asked
                       : asked.ends_with(kIsNone)
                           ? fmt::format(" {} is not None", asked.substr(0, asked.size() - kIsNone.size()))
                           : fmt::format(" not ({})", asked);
    if (std::find(needed.begin(), needed.end(), text) == needed.end()) needed.push_back(std::move(text));
  };
  const auto is_closed = [&](const TestReach& reach) {
    return std::all_of(changes.begin(), changes.end(), [&](const std::vector<Guard>& guards) {
      return std::any_of(guards.rbegin(), guards.rend(), [&](const Guard& guard) {  // The nearest says most.
        if (!conditions.closes_guard(reach.test, function, guard, leading)) return false;
        note(guard);
        return true;
      });
    });
  };
  std::vector<TestReach> left;
  std::size_t looked = 0;
  for (const TestReach& reach : tests) {
    const bool is_asked = reach.link == TestLink::kCalls && looked < kMostTests;
    looked += is_asked ? 1 : 0;
    if (!is_asked || !is_closed(reach)) left.push_back(reach);
  }
  if (left.empty()) return tests.empty() ? std::vector<std::string>() : needed;
  tests = std::move(left);
  return {};
}

}  // namespace lockstep::report
