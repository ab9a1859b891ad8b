#include "report/story/checks/check_order.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/steps/removed_steps.h"
#include "report/story/wording/change_steps.h"

namespace lockstep::report {

using namespace python;

bool is_check(const std::vector<Step>& steps, std::size_t index) {
  if (only_refuses(steps, index)) return true;
  const auto* statement = steps[index].kind == StepKind::kPlain ? as<ExprStmt>(steps[index].node) : nullptr;
  const auto* call = statement == nullptr ? nullptr : as<Call>(statement->value);
  return call != nullptr && contains(dotted_text(call->callee), "assert");
}

namespace {

/// Whether a run that comes to step `index` has come past step `other`, or will: that stands in no branch or loop that
/// does not hold `index`, too.
bool is_on_the_way(const std::vector<Step>& steps, std::size_t other, std::size_t index) {
  std::set<std::size_t> around = {Step::kNone};
  for (std::size_t up = steps[index].parent; up != Step::kNone; up = steps[up].parent) around.insert(up);
  std::size_t block = steps[other].parent;
  while (!around.contains(block) && steps[block].kind == StepKind::kWith) block = steps[block].parent;
  return around.contains(block);
}

/// The calls beside step `index` that were there and stay, `most` of them, nearest first: behind it, or before it.
std::vector<std::string> kept_calls(const std::vector<Step>& steps, std::size_t index, const SourceText& source,
                                    bool are_behind, std::size_t most) {
  constexpr std::size_t kMostText = 50;
  std::vector<std::string> out;
  for (std::size_t i = index; out.size() < most;) {
    if (are_behind ? ++i >= steps.size() : i-- == 0) break;
    if (steps[i].depth < steps[index].depth && are_behind) break;
    const auto* statement = steps[i].kind == StepKind::kPlain ? as<ExprStmt>(steps[i].node) : nullptr;
    if (statement == nullptr || !is<Call>(statement->value) || steps[i].status != StepStatus::kKept ||
        steps[i].is_moved || !is_on_the_way(steps, i, index))
      continue;
    out.push_back(code(one_line(source, steps[i].span, kMostText)));
  }
  return out;
}

}  // namespace

std::string passed_by_check(const Actor& actor) {
  constexpr std::size_t kMostCalls = 40;
  std::set<std::string> was_behind;
  const std::vector<Step>& before = actor.steps.before;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].status != StepStatus::kRemoved || !is_check(before, i) || !is_gone_whole(actor, i)) continue;
    for (std::string& call : kept_calls(before, i, *actor.steps.before_source, false, kMostCalls))
      was_behind.insert(std::move(call));
  }
  constexpr std::size_t kMostNamed = 2;
  std::vector<std::string> found;
  const std::vector<Step>& after = actor.steps.after;
  for (std::size_t i = 0; i < after.size() && !was_behind.empty() && found.empty(); ++i) {
    if (after[i].status != StepStatus::kAdded || after[i].is_moved || !is_check(after, i)) continue;
    for (const std::string& call : kept_calls(after, i, *actor.steps.after_source, true, kMostCalls)) {
      if (was_behind.contains(call)) found.push_back(call);
    }
  }
  if (found.size() > kMostNamed) found.erase(found.begin(), found.end() - kMostNamed);
  return join_words(found);
}

}  // namespace lockstep::report
