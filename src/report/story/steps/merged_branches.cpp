#include "report/story/steps/merged_branches.h"

#include <string>
#include <utility>
#include <vector>

#include "change/names.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/story/calls/calls.h"

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

/// What a branch asks, without what stands before the name of the first function that it calls: `not exists(path)` of
/// `not os.path.exists(path)`.
std::string asked_by(const If& branch, const Call& first, const SourceText& source) {
  const Span whole = branch.condition->span;
  const auto* member = as<Attribute>(first.callee);
  if (member == nullptr || !whole.contains(first.span)) return without_layout(source, whole);
  return without_layout(source, {whole.begin, first.span.begin}) +
         without_layout(source, {member->value->span.end, whole.end});
}

bool does_the_same(const Step& one, const Step& other, const SourceText& source) {
  if (one.kind != other.kind) return false;
  if (without_layout(source, one.span) == without_layout(source, other.span)) return true;
  if (one.node->kind != other.node->kind) return false;
  const Call* called = first_call_in(*one.node, one.span);
  const Call* also = first_call_in(*other.node, other.span);
  if (called == nullptr || also == nullptr) return false;
  if (one.kind == StepKind::kIf)
    return asked_by(*as<If>(one.node), *called, source) == asked_by(*as<If>(other.node), *also, source);
  return !callee_name(*called).empty() && callee_name(*called) == callee_name(*also);
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
