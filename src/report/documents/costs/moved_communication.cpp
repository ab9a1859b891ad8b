#include "report/documents/costs/moved_communication.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "mesh/mesh.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// Whether the call may enter the function of that name, or surely what does so, up to `deeper` calls further.
bool comes_to(const Program& program, const program::CallSite& site, std::string_view name, int deeper) {
  const auto is_it = [&](const program::CallTarget& target) {
    return target.function.valid() && program.functions()[target.function].qualified_name == name;
  };
  if (std::any_of(site.targets.begin(), site.targets.end(), is_it)) return true;
  if (deeper == 0 || site.targets.size() != 1 || !site.targets.front().function.valid()) return false;
  const auto& calls = program.functions()[site.targets.front().function].calls;
  return std::any_of(calls.begin(), calls.end(),
                     [&](program::CallId id) { return comes_to(program, program.calls()[id], name, deeper - 1); });
}

/// The innermost step that makes the call; null where none does.
const Step* step_of(const std::vector<Step>& steps, Span call) {
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const Step& one) { return one.span.contains(call); });
  return found == steps.end() ? nullptr : &*found;
}

/// Whether the new version makes the call of a step of the old one no longer, or under another condition.
bool is_left(const Actor& actor, const Call& call) {
  if (actor.is_removed()) return true;
  const Step* was = step_of(actor.steps.before, call.span);
  if (was == nullptr) return false;
  if (was->partner == Step::kNone) return was->status == StepStatus::kRemoved;
  if (was->partner >= actor.steps.after.size()) return false;
  const Step& now = actor.steps.after[was->partner];
  bool is_made = was->status == StepStatus::kKept || was->is_moved;
  walk_of<Call>(*now.node, Nested::kSkip, [&](const Call* one) {
    is_made = is_made || (now.span.contains(one->span) && callee_name(*one) == callee_name(call));
  });
  if (!is_made) return true;
  for (std::size_t at = now.parent; at != Step::kNone; at = actor.steps.after[at].parent) {
    const Step& around = actor.steps.after[at];
    if (around.kind == StepKind::kIf && around.status != StepStatus::kKept) return true;
  }
  return false;
}

bool is_in(const Program& program, const Program& other, FunctionId function) {
  return other.find_function(program.functions()[function].qualified_name).valid();
}

std::ptrdiff_t communicating_calls(const Program& program, const mesh::MeshAnalysis* mesh,
                                   const std::optional<change::EntitySide>& side, const Program& other) {
  if (!side || !side->function.valid() || mesh == nullptr) return 0;
  const auto& calls = program.functions()[side->function].calls;
  return std::count_if(calls.begin(), calls.end(), [&](program::CallId id) {
    const auto& targets = program.calls()[id].targets;
    return std::any_of(targets.begin(), targets.end(), [&](const program::CallTarget& target) {
      return target.function.valid() ? mesh->may_communicate(target.function) && is_in(program, other, target.function)
                                     : std::string_view(target.external).starts_with("torch.distributed.");
    });
  });
}

}  // namespace

bool leaves_to_others(const DocumentInputs& inputs, const Story& story, FunctionId callee) {
  constexpr int kMostBetween = 2;
  const Program& before = *inputs.before;
  const std::string_view name = inputs.after->functions()[callee].qualified_name;
  return std::any_of(story.actors.begin(), story.actors.end(), [&](const Actor& actor) {
    if (actor.role == Role::kTest || !actor.is_function() || !actor.change->before ||
        !actor.change->before->function.valid())
      return false;
    const auto& calls = before.functions()[actor.change->before->function].calls;
    return std::any_of(calls.begin(), calls.end(), [&](program::CallId id) {
      const program::CallSite& site = before.calls()[id];
      const auto* call = as<Call>(site.node);
      return call != nullptr && comes_to(before, site, name, kMostBetween) && is_left(actor, *call);
    });
  });
}

namespace {

bool takes_over(const DocumentInputs& inputs, const Story& story, FunctionId function, int deeper) {
  const Program& after = *inputs.after;
  if (inputs.after_mesh == nullptr || !inputs.after_mesh->collectives_of(function).empty()) return false;
  const auto& calls = after.functions()[function].calls;
  return std::all_of(calls.begin(), calls.end(), [&](program::CallId id) {
    const auto& targets = after.calls()[id].targets;
    return std::all_of(targets.begin(), targets.end(), [&](const program::CallTarget& target) {
      if (!target.function.valid()) return !std::string_view(target.external).starts_with("torch.distributed.");
      if (!inputs.after_mesh->may_communicate(target.function)) return true;
      if (is_in(after, *inputs.before, target.function)) return leaves_to_others(inputs, story, target.function);
      return deeper > 0 && takes_over(inputs, story, target.function, deeper - 1);
    });
  });
}

}  // namespace

bool takes_communication_over(const DocumentInputs& inputs, const Story& story, FunctionId function) {
  constexpr int kMostBetween = 2;
  return takes_over(inputs, story, function, kMostBetween);
}

bool communicates_more(const DocumentInputs& inputs, const Story& story) {
  std::ptrdiff_t more = 0;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function()) continue;
    more += communicating_calls(*inputs.after, inputs.after_mesh, actor.change->after, *inputs.before) -
            communicating_calls(*inputs.before, inputs.before_mesh, actor.change->before, *inputs.after);
  }
  return more > 0;
}

}  // namespace lockstep::report
