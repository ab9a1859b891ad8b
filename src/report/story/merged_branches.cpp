#include "report/story/merged_branches.h"

#include <string>
#include <utility>
#include <vector>

#include "change/names.h"
#include "python/tree_walk.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The steps of the other arm of the branch whose arm is the block at `arm`: its `else`, or what the `else` is one of.
/// Empty for other blocks.
std::pair<std::size_t, std::size_t> other_arm(const std::vector<Step>& steps, std::size_t arm) {
  if (steps[arm].kind == StepKind::kIf) {
    const std::size_t next = end_of(steps, arm);
    if (next < steps.size() && steps[next].kind == StepKind::kElse && steps[next].parent == steps[arm].parent)
      return {next + 1, end_of(steps, next)};
    return {};
  }
  if (steps[arm].kind != StepKind::kElse) return {};
  for (std::size_t i = 0; i < arm; ++i) {
    if (steps[i].kind == StepKind::kIf && steps[i].parent == steps[arm].parent && end_of(steps, i) == arm)
      return {i + 1, arm};
  }
  return {};
}

/// The last name of what the step calls first; empty where it calls nothing.
std::string_view called_by(const Step& step) {
  const Call* first = nullptr;
  walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
    if (step.span.contains(call->span) && (first == nullptr || call->span.begin < first->span.begin)) first = call;
  });
  return first == nullptr ? std::string_view() : callee_name(*first);
}

bool does_the_same(const Step& one, const Step& other, const SourceText& source) {
  if (one.kind != other.kind) return false;
  if (without_layout(source, one.span) == without_layout(source, other.span)) return true;
  if (one.node->kind != other.node->kind) return false;
  const std::string_view called = called_by(one);
  return !called.empty() && called == called_by(other);
}

}  // namespace

bool is_merged(const Actor& actor, std::size_t before) {
  const std::vector<Step>& steps = actor.steps.before;
  if (actor.steps.before_source == nullptr) return false;
  for (std::size_t up = steps[before].parent; up != Step::kNone; up = steps[up].parent) {
    const auto [first, end] = other_arm(steps, up);
    for (std::size_t i = first; i < end; ++i) {
      const bool stays =
          steps[i].status != StepStatus::kRemoved || steps[i].partner != Step::kNone || steps[i].is_moved;
      if (stays && does_the_same(steps[before], steps[i], *actor.steps.before_source)) return true;
    }
  }
  return false;
}

}  // namespace lockstep::report
