// Two versions of a function, step by step (steps.h).
#include <algorithm>
#include <cctype>

#include "report/story/steps/branch_pairs.h"
#include "report/story/steps/regrouped_branches.h"
#include "report/story/steps/renamed_code.h"
#include "report/story/steps/same_alternative.h"
#include "report/story/steps/step_alignment.h"
#include "report/story/steps/step_edits.h"
#include "report/story/steps/step_moves.h"
#include "report/story/steps/steps.h"

namespace lockstep::report {

using namespace python;

namespace {

bool is_name(std::string_view token) {
  return !token.empty() && (std::isalpha(static_cast<unsigned char>(token.front())) != 0 || token.front() == '_');
}

}  // namespace

std::vector<std::pair<std::string, std::string>> renamed_words(const Step& before, const SourceText& before_source,
                                                               const Step& after, const SourceText& after_source) {
  const std::vector<std::string_view> old_tokens = tokens_of(before_source.slice(before.span));
  const std::vector<std::string_view> new_tokens = tokens_of(after_source.slice(after.span));
  if (before.kind != after.kind || old_tokens.size() != new_tokens.size()) return {};
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t i = 0; i < old_tokens.size(); ++i) {
    if (old_tokens[i] == new_tokens[i]) continue;
    if (!is_name(old_tokens[i]) || !is_name(new_tokens[i])) return {};
    std::pair<std::string, std::string> pair{old_tokens[i], new_tokens[i]};
    if (std::find(out.begin(), out.end(), pair) == out.end()) out.push_back(std::move(pair));
  }
  // Two short statements of the same form are no edit of one another.
  return out.size() * 4 <= old_tokens.size() ? out : std::vector<std::pair<std::string, std::string>>{};
}

void compare_steps(std::vector<Step>& before, const SourceText& before_source, std::vector<Step>& after,
                   const SourceText& after_source, const repo::LineDiff* lines) {
  align_steps(before, after, lines);
  settle_alignment(before, after);
  match_edits(before, before_source, after, after_source);
  part_other_branches(before, before_source, after, after_source);
  keep_same_alternatives(before, before_source, after, after_source);
  match_regrouped_branches(before, before_source, after, after_source);
  match_moves(before, before_source, after, after_source);
}

std::size_t StepComparison::changed_after() const {
  return static_cast<std::size_t>(
      std::count_if(after.begin(), after.end(), [](const Step& s) { return s.status != StepStatus::kKept; }));
}

std::size_t StepComparison::removed_before() const {
  return static_cast<std::size_t>(
      std::count_if(before.begin(), before.end(), [](const Step& s) { return s.status == StepStatus::kRemoved; }));
}

StepComparison compare_functions(const Node* before, const SourceText* before_source, const Node* after,
                                 const SourceText* after_source, const repo::LineDiff* lines) {
  StepComparison out;
  out.before_source = before_source;
  out.after_source = after_source;
  if (before != nullptr) out.before = steps_of(*before, *before_source);
  if (after != nullptr) out.after = steps_of(*after, *after_source);
  if (before == nullptr) {
    for (Step& step : out.after) step.status = StepStatus::kAdded;
  } else if (after == nullptr) {
    for (Step& step : out.before) step.status = StepStatus::kRemoved;
  } else {
    compare_steps(out.before, *before_source, out.after, *after_source, lines);
  }
  return out;
}

namespace {

/// Of what went from a branch that moved: behind what stood before it there; `otherwise` where nothing around it moved.
std::size_t point_inside_moved(const StepComparison& steps, std::size_t index, std::size_t otherwise) {
  std::size_t around = steps.before[index].parent;
  while (around != Step::kNone && !steps.before[around].is_moved) around = steps.before[around].parent;
  if (around == Step::kNone) return otherwise;
  std::size_t at = index;
  while (at > around && !steps.before[at].is_moved) --at;
  return steps.before[at].partner + 1;
}

}  // namespace

std::vector<std::size_t> removal_points(const StepComparison& steps) {
  std::vector<std::size_t> points(steps.before.size(), Step::kNone);
  std::size_t next = 0;
  for (std::size_t i = 0; i < steps.before.size(); ++i) {
    const Step& step = steps.before[i];
    if (step.status == StepStatus::kRemoved) {
      points[i] = step.is_moved ? next : point_inside_moved(steps, i, next);
    } else if (step.partner != Step::kNone && !step.is_moved) {
      next = step.partner + 1;
    }
  }
  return points;
}

}  // namespace lockstep::report
