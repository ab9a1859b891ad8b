#include "report/story/steps/replaced.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "report/story/wording/edits.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kFewest = 3;

bool is_new_function(const DocumentInputs& inputs, program::FunctionId function) {
  return std::any_of(inputs.change->entities.begin(), inputs.change->entities.end(), [&](const auto& entity) {
    return entity.status == change::Status::kAdded && entity.after && entity.after->function == function;
  });
}

/// Whether the new function has the same step.
bool is_in(const Step& step, program::FunctionId callee) {
  return step.elsewhere != nullptr && step.elsewhere->after && step.elsewhere->after->function == callee;
}

bool stays_alone(const Step& step, program::FunctionId callee, const DocumentInputs& inputs, const Actor& actor) {
  if (step.is_moved || (step.elsewhere != nullptr && !is_in(step, callee)) || step.is_still_issued ||
      is<Raise>(step.node) || is<Assert>(step.node))
    return true;
  const WordsContext context = context_before(inputs, actor);
  if (context.mesh == nullptr || !context.function.valid()) return false;
  const auto& sites = context.mesh->collectives_of(context.function);
  return std::any_of(sites.begin(), sites.end(), [&](const mesh::CollectiveSite& site) {
    return site.call != nullptr && step.span.contains(site.call->span);
  });
}

}  // namespace

std::vector<ReplacedSteps> replaced_steps(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<ReplacedSteps> out;
  const StepComparison& all = actor.steps;
  if (actor.is_added() || actor.is_removed() || all.before_source == nullptr || all.after_source == nullptr) return out;
  const auto is_added = [&](std::size_t i) {
    return i < all.after.size() && all.after[i].status == StepStatus::kAdded;
  };
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < all.after.size(); ++i) {
    const Call* call = is_added(i) && !all.after[i].is_moved ? call_of_step(all.after[i]) : nullptr;
    if (call == nullptr || is_added(i + 1) || (i > 0 && is_added(i - 1))) continue;
    const std::vector<program::FunctionId> callees = callees_of(*inputs.after, call);
    if (callees.size() != 1 || !is_new_function(inputs, callees.front())) continue;
    if (points.empty()) points = removal_points(all);
    ReplacedSteps one{i, {}};
    bool fits = true;
    std::size_t handed = 0;
    for (std::size_t b = 0; b < all.before.size(); ++b) {
      if (all.before[b].status != StepStatus::kRemoved || points[b] != i) continue;
      fits = fits && !stays_alone(all.before[b], callees.front(), inputs, actor) &&
             all.before[b].depth >= all.after[i].depth && (one.before.empty() || one.before.back() + 1 == b);
      handed += is_in(all.before[b], callees.front()) ? 1 : 0;
      one.before.push_back(b);
    }
    // That many are told as handed over.
    if (fits && handed < kFewest && one.before.size() >= kFewest) out.push_back(std::move(one));
  }
  return out;
}

bool is_replaced(const std::vector<ReplacedSteps>& replaced, std::size_t index) {
  return std::any_of(replaced.begin(), replaced.end(), [&](const ReplacedSteps& one) {
    return std::find(one.before.begin(), one.before.end(), index) != one.before.end();
  });
}

std::string replaced_words(const std::vector<ReplacedSteps>& replaced, std::size_t call) {
  for (const ReplacedSteps& one : replaced) {
    if (one.call == call) return fmt::format(" in place of {}", lockstep::count_of(one.before.size(), "step"));
  }
  return {};
}

}  // namespace lockstep::report
