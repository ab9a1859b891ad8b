#include "report/story/steps/regrouped_branches.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "report/story/steps/step_moves.h"
#include "report/story/wording/operands.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether the branch is an `if` with no other arms.
bool stands_alone(const std::vector<Step>& steps, std::size_t index) {
  if (steps[index].kind != StepKind::kIf || steps[index].is_elif) return false;
  const std::size_t next = end_of(steps, index);
  return next >= steps.size() || steps[next].depth != steps[index].depth ||
         (steps[next].kind != StepKind::kElse && !(steps[next].kind == StepKind::kIf && steps[next].is_elif));
}

/// All that must hold for a run to come into the branch at `index`, as texts; blocks that are no branches, and the arms
/// of those with several, are known by their number on the old side. Nullopt where such a one stands on one side only.
std::optional<std::set<std::string>> asked_inside(const std::vector<Step>& steps, std::size_t index,
                                                  const SourceText& source, bool is_old_side) {
  std::set<std::string> out;
  for (std::size_t at = index; at != Step::kNone; at = steps[at].parent) {
    if (stands_alone(steps, at)) {
      std::vector<Guard> operands;
      add_operands(*as<If>(steps[at].node)->condition, false, operands);
      for (const Guard& one : operands) out.insert(operand_text(one, source));
      continue;
    }
    if (steps[at].partner == Step::kNone) return std::nullopt;
    out.insert(fmt::format("# {}", is_old_side ? at : steps[at].partner));
  }
  return out;
}

/// Whether a statement that tells itself stands directly in both branches, gone from the one and new in the other.
bool share_statement(const std::vector<Step>& before, std::size_t from, const std::vector<Step>& after,
                     std::size_t to) {
  for (std::size_t b = from + 1; b < end_of(before, from); ++b) {
    if (before[b].parent != from || before[b].status != StepStatus::kRemoved || !tells_itself(before[b])) continue;
    for (std::size_t a = to + 1; a < end_of(after, to); ++a) {
      if (after[a].parent == to && after[a].status == StepStatus::kAdded &&
          after[a].fingerprint == before[b].fingerprint)
        return true;
    }
  }
  return false;
}

bool is_open(const std::vector<Step>& steps, std::size_t index, StepStatus status) {
  return steps[index].status == status && steps[index].partner == Step::kNone && stands_alone(steps, index);
}

}  // namespace

void match_regrouped_branches(std::vector<Step>& before, const SourceText& before_source, std::vector<Step>& after,
                              const SourceText& after_source) {
  for (std::size_t b = 0; b < before.size(); ++b) {
    if (!is_open(before, b, StepStatus::kRemoved)) continue;
    const auto asked = asked_inside(before, b, before_source, true);
    if (!asked) continue;
    for (std::size_t a = 0; a < after.size(); ++a) {
      if (!is_open(after, a, StepStatus::kAdded) || before[b].fingerprint == after[a].fingerprint ||
          !share_statement(before, b, after, a) || asked != asked_inside(after, a, after_source, false))
        continue;
      before[b].is_moved = after[a].is_moved = true;
      before[b].partner = a;
      after[a].partner = b;
      move_along(before, before_source, b, after, after_source, a);
      break;
    }
  }
}

}  // namespace lockstep::report
