#include "report/story/steps/step_alignment.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace lockstep::report {

using namespace python;

void pair_up(std::vector<Step>& before, std::size_t b, std::vector<Step>& after, std::size_t a, StepStatus status) {
  before[b].status = after[a].status = status;
  before[b].partner = a;
  after[a].partner = b;
}

namespace {

/// Whether two steps are one: of the same words, an `elif` and an `if` that is asked in the same cases, or a branch
/// before which another one came to stand or went.
bool is_same(const Step& before, const Step& after) {
  if (before.fingerprint == after.fingerprint) return true;
  return (before.is_elif && (after.as_elif == before.fingerprint || before.as_if == after.fingerprint)) ||
         (after.is_elif && (before.as_elif == after.fingerprint || after.as_if == before.fingerprint));
}

/// Heads of branches, loops and definitions that stand once among the steps.
std::vector<bool> single_heads(const std::vector<Step>& steps) {
  std::unordered_map<std::uint64_t, std::size_t> counts;
  for (const Step& step : steps) ++counts[step.fingerprint];
  std::vector<bool> out;
  for (const Step& step : steps) {
    const bool is_head = step.kind == StepKind::kIf || step.kind == StepKind::kFor || step.kind == StepKind::kWhile ||
                         is<FunctionDef>(step.node);
    out.push_back(is_head && counts[step.fingerprint] == 1);
  }
  return out;
}

}  // namespace

/// Common subsequence of before[b0, b1) and after[a0, a1) of the greatest weight, what both ends share cut off first.
/// Heads that stand once on both sides weigh most: a new branch that does much of what the next one does is not that
/// one.
void align_steps(std::vector<Step>& before, std::vector<Step>& after, const repo::LineDiff* lines) {
  std::size_t b0 = 0;
  std::size_t a0 = 0;
  std::size_t b1 = before.size();
  std::size_t a1 = after.size();
  const auto same = [&](std::size_t b, std::size_t a) { return is_same(before[b], after[a]); };
  while (b0 < b1 && a0 < a1 && same(b0, a0)) pair_up(before, b0++, after, a0++, StepStatus::kKept);
  while (b1 > b0 && a1 > a0 && same(b1 - 1, a1 - 1)) pair_up(before, --b1, after, --a1, StepStatus::kKept);
  const std::vector<bool> heads_before = single_heads(before);
  const std::vector<bool> heads_after = single_heads(after);
  constexpr std::uint16_t kWeightOfHead = 12;
  constexpr std::uint16_t kWeightOfLine = 2;
  std::vector<std::optional<std::uint32_t>> stays_at(before.size());
  for (std::size_t b = b0; lines != nullptr && b < b1; ++b) {
    // A `try:` that stays on its line may be that of another block.
    if (before[b].kind == StepKind::kPlain && tells_itself(before[b]))
      stays_at[b] = lines->map_old_to_new(before[b].first_line);
  }
  const auto with = [&](std::size_t b, std::size_t a, std::uint16_t rest) {
    const bool is_head = heads_before[b] && heads_after[a];
    return static_cast<std::uint16_t>(rest + (is_head                              ? kWeightOfHead
                                              : stays_at[b] == after[a].first_line ? kWeightOfLine
                                                                                   : 1));
  };
  const std::size_t width = a1 - a0 + 1;
  std::vector<std::uint16_t> table((b1 - b0 + 1) * width, 0);
  for (std::size_t b = b1; b-- > b0;) {
    for (std::size_t a = a1; a-- > a0;) {
      std::uint16_t& cell = table[(b - b0) * width + (a - a0)];
      const std::uint16_t down = table[(b + 1 - b0) * width + (a - a0)];
      const std::uint16_t right = table[(b - b0) * width + (a + 1 - a0)];
      cell = std::max(down, right);
      if (same(b, a)) cell = std::max(cell, with(b, a, table[(b + 1 - b0) * width + (a + 1 - a0)]));
    }
  }
  std::size_t b = b0;
  std::size_t a = a0;
  while (b < b1 && a < a1) {
    const std::uint16_t here = table[(b - b0) * width + (a - a0)];
    if (same(b, a) && here == with(b, a, table[(b + 1 - b0) * width + (a + 1 - a0)])) {
      pair_up(before, b++, after, a++, StepStatus::kKept);
    } else if (table[(b + 1 - b0) * width + (a - a0)] >= table[(b - b0) * width + (a + 1 - a0)]) {
      before[b++].status = StepStatus::kRemoved;
    } else {
      after[a++].status = StepStatus::kAdded;
    }
  }
  for (; b < b1; ++b) before[b].status = StepStatus::kRemoved;
  for (; a < a1; ++a) after[a].status = StepStatus::kAdded;
}

namespace {

/// Whether all branches before the `elif` at `index` are of that status: they came, or went, all of them.
bool all_before(const std::vector<Step>& steps, std::size_t index, StepStatus status) {
  while (steps[index].is_elif) {
    std::size_t before = index;
    do {
      if (before == 0) return false;
      --before;
    } while (steps[before].parent != steps[index].parent || steps[before].kind != StepKind::kIf);
    if (steps[before].status != status) return false;
    index = before;
  }
  return true;
}

/// An `if` is not the `elif` of its words unless the branches that stand before the one came, or went: else it is asked
/// in other cases.
void part_other_questions(std::vector<Step>& before, std::vector<Step>& after) {
  for (Step& now : after) {
    if (now.status != StepStatus::kKept || now.partner == Step::kNone) continue;
    Step& was = before[now.partner];
    if (now.is_elif == was.is_elif || now.as_elif == was.fingerprint || was.as_elif == now.fingerprint) continue;
    const bool is_same_question =
        now.is_elif ? all_before(after, static_cast<std::size_t>(&now - after.data()), StepStatus::kAdded)
                    : all_before(before, now.partner, StepStatus::kRemoved);
    if (is_same_question) continue;
    was.status = StepStatus::kRemoved;
    now.status = StepStatus::kAdded;
    was.partner = now.partner = Step::kNone;
  }
}

/// A branch whose words now stand twice, once for what a new branch took over: the one that stands as deep as before,
/// and still holds some of what it held, is the one that was kept.
void keep_heads_at_their_depth(std::vector<Step>& before, std::vector<Step>& after) {
  for (std::size_t b = 0; b < before.size(); ++b) {
    const std::size_t kept = before[b].partner;
    if (before[b].kind == StepKind::kPlain || before[b].status != StepStatus::kKept ||
        after[kept].depth == before[b].depth)
      continue;
    for (std::size_t a = 0; a < after.size(); ++a) {
      if (after[a].status != StepStatus::kAdded || after[a].depth != before[b].depth || !is_same(before[b], after[a]))
        continue;
      const auto holds_as_before = [&](const Step& inside) {
        return inside.status == StepStatus::kKept && inside.parent == a && before[inside.partner].parent == b;
      };
      if (!std::any_of(after.begin(), after.end(), holds_as_before)) continue;
      pair_up(before, b, after, a, StepStatus::kKept);
      after[kept].status = StepStatus::kAdded;
      after[kept].partner = Step::kNone;
      // What it holds no more has moved. So what is kept stands in one order on both sides.
      const std::size_t end = end_of(before, b);
      for (std::size_t i = b + 1; i < end; ++i) {
        const std::size_t other = before[i].partner;
        if (before[i].status != StepStatus::kKept) continue;
        if (other > a && (before[i].parent != b || after[other].parent == a)) continue;
        before[i].status = StepStatus::kRemoved;
        after[other].status = StepStatus::kAdded;
        before[i].partner = after[other].partner = Step::kNone;
      }
      break;
    }
  }
}

/// Whether all other kept steps stand in the same order as `b` and `a`.
bool is_in_order(const std::vector<Step>& before, std::size_t b, std::size_t a) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i == b || before[i].status != StepStatus::kKept) continue;
    if ((i < b) != (before[i].partner < a)) return false;
  }
  return true;
}

/// A statement whose words now stand twice, `break` at the end of two branches: the one in the branch that held it is
/// the one that was kept.
void keep_in_their_branches(std::vector<Step>& before, std::vector<Step>& after) {
  for (std::size_t b = 0; b < before.size(); ++b) {
    const std::size_t parent = before[b].parent;
    if (before[b].status != StepStatus::kKept || before[b].kind != StepKind::kPlain || parent == Step::kNone ||
        before[parent].status != StepStatus::kKept)
      continue;
    const std::size_t kept = before[b].partner;
    const std::size_t branch = before[parent].partner;
    if (after[kept].parent == branch) continue;
    const std::size_t end = end_of(after, branch);
    for (std::size_t a = branch + 1; a < end; ++a) {
      if (after[a].status != StepStatus::kAdded || after[a].parent != branch || !is_same(before[b], after[a]) ||
          !is_in_order(before, b, a))
        continue;
      pair_up(before, b, after, a, StepStatus::kKept);
      after[kept].status = StepStatus::kAdded;
      after[kept].partner = Step::kNone;
      break;
    }
  }
}

}  // namespace

void settle_alignment(std::vector<Step>& before, std::vector<Step>& after) {
  part_other_questions(before, after);
  keep_heads_at_their_depth(before, after);
  keep_in_their_branches(before, after);
}

}  // namespace lockstep::report
