#include "report/story/steps/merged_branches.h"

#include <algorithm>
#include <set>
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

/// Whether two branches hold the same, to the letter.
bool hold_the_same(const std::vector<Step>& steps, std::size_t one, std::size_t other) {
  const std::size_t count = end_of(steps, one) - one;
  if (end_of(steps, other) - other != count) return false;
  for (std::size_t i = 1; i < count; ++i) {
    if (steps[one + i].kind != steps[other + i].kind || steps[one + i].fingerprint != steps[other + i].fingerprint)
      return false;
  }
  return true;
}

/// What a condition asks, part by part where they are joined by `and`.
std::set<std::string> parts_of(const Expr& condition, const SourceText& source) {
  const auto* all = as<BoolOp>(&condition);
  if (all == nullptr || all->op != BoolOperator::kAnd) return {without_layout(source, condition.span)};
  std::set<std::string> out;
  for (const Expr* one : all->values) out.insert(without_layout(source, one->span));
  return out;
}

/// Whether the branch `one` asks nothing but what `other`, which stays as it is, asks, too, and does the same.
bool is_asked_with(const std::vector<Step>& steps, std::size_t one, std::size_t other, const SourceText& source) {
  const auto* gone = steps[one].kind == StepKind::kIf ? as<If>(steps[one].node) : nullptr;
  const auto* stays = steps[other].kind == StepKind::kIf ? as<If>(steps[other].node) : nullptr;
  if (gone == nullptr || stays == nullptr || steps[other].status == StepStatus::kChanged) return false;
  const std::set<std::string> was = parts_of(*gone->condition, source);
  const std::set<std::string> is = parts_of(*stays->condition, source);
  return std::includes(is.begin(), is.end(), was.begin(), was.end()) && hold_the_same(steps, one, other);
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
      if (stays && (does_the_same(steps[before], steps[i], *actor.steps.before_source) ||
                    is_asked_with(steps, before, i, *actor.steps.before_source)))
        return true;
    }
  }
  return false;
}

std::vector<std::size_t> merged_with(const Actor& actor, std::size_t before) {
  const std::vector<Step>& steps = actor.steps.before;
  const std::size_t arm = steps[before].parent;
  std::vector<std::size_t> out;
  if (actor.steps.before_source == nullptr || steps[before].kind != StepKind::kIf || arm == Step::kNone ||
      steps[arm].status != StepStatus::kRemoved || steps[arm].is_moved || steps[arm].is_elif ||
      steps[arm].is_after_elif)
    return out;
  const auto [first, end] = other_arm(steps, arm);
  for (std::size_t i = first; i < end; ++i) {
    const bool goes = steps[i].status == StepStatus::kRemoved && !steps[i].is_moved && steps[i].elsewhere == nullptr;
    if (goes && steps[i].kind == StepKind::kIf && steps[i].depth == steps[before].depth &&
        does_the_same(steps[i], steps[before], *actor.steps.before_source) && hold_the_same(steps, before, i))
      out.push_back(i);
  }
  return out;
}

}  // namespace lockstep::report
