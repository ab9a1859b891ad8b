#include "report/story/steps/crossed_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "report/document.h"
#include "report/source/code.h"
#include "report/source/words.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

namespace {

/// A block's header as code: `if x:`, and for its other branch `if x: … else:`.
std::string header(const std::vector<Step>& steps, std::size_t index, const SourceText& source) {
  constexpr std::size_t kMostText = 60;
  const std::string own = one_line(source, steps[index].span, kMostText);
  if (steps[index].kind != StepKind::kElse) return code(own);
  const auto owner = std::find_if(steps.begin(), steps.end(), [&](const Step& one) {
    return one.node == steps[index].node && one.kind != StepKind::kElse;
  });
  return owner == steps.end() ? code(own) : code(one_line(source, owner->span, kMostText) + " \u2026 " + own);
}

/// The blocks around the step at `index` that are not around its partner on the other side: branches first, then the
/// innermost loop. What only opens something (`with`, `try`) is left out.
std::vector<std::string> blocks_around(const std::vector<Step>& steps, std::size_t index,
                                       const std::vector<Step>& others, const SourceText& source) {
  std::set<std::size_t> around_partner;
  for (std::size_t up = others[steps[index].partner].parent; up != Step::kNone; up = others[up].parent)
    around_partner.insert(up);
  std::vector<std::string> out;
  std::string loop;
  for (std::size_t up = steps[index].parent; up != Step::kNone; up = steps[up].parent) {
    if (steps[up].partner != Step::kNone && around_partner.contains(steps[up].partner)) continue;
    const StepKind kind = steps[up].kind;
    const bool is_loop = kind == StepKind::kFor || kind == StepKind::kWhile;
    if (is_loop && loop.empty()) loop = header(steps, up, source);
    if (!is_loop && kind != StepKind::kTry && kind != StepKind::kWith) out.push_back(header(steps, up, source));
  }
  if (!loop.empty()) out.push_back(std::move(loop));
  return out;
}

/// " (formerly only when `x` is set)" of a step that left one branch and entered none; empty for others.
std::string former_condition(const StepComparison& steps, std::size_t index) {
  // A branch may ask itself now what stood around it.
  if (steps.after[index].fingerprint != steps.before[steps.after[index].partner].fingerprint) return {};
  std::set<std::size_t> around;
  for (std::size_t up = steps.after[index].parent; up != Step::kNone; up = steps.after[up].parent) {
    const bool is_branch = steps.after[up].kind == StepKind::kIf || steps.after[up].kind == StepKind::kElse;
    if (is_branch && steps.after[up].partner == Step::kNone) return {};
    if (steps.after[up].partner != Step::kNone) around.insert(steps.after[up].partner);
  }
  const python::If* left = nullptr;
  for (std::size_t up = steps.before[steps.after[index].partner].parent; up != Step::kNone;
       up = steps.before[up].parent) {
    if (around.contains(up) || steps.before[up].kind == StepKind::kFor) continue;
    const auto* branch =
        steps.before[up].kind == StepKind::kIf ? python::as<python::If>(steps.before[up].node) : nullptr;
    if (branch == nullptr || left != nullptr || steps.before[up].is_elif) return {};
    left = branch;
  }
  return left == nullptr
             ? std::string()
             : fmt::format(" (formerly only when {})", condition_words(*left->condition, *steps.before_source));
}

}  // namespace

std::string crossed_blocks_words(const StepComparison& steps, std::size_t index) {
  const std::size_t partner = steps.after[index].partner;
  if (partner == Step::kNone) return {};
  const auto left = blocks_around(steps.before, partner, steps.after, *steps.before_source);
  const auto entered = blocks_around(steps.after, index, steps.before, *steps.after_source);
  std::string out;
  if (!left.empty()) out += ", out of " + join_words(left);
  if (!entered.empty()) out += ", into " + join_words(entered);
  return out + former_condition(steps, index);
}

bool leaves_condition(const StepComparison& steps, std::size_t index) {
  const Step& step = steps.after[index];
  if (!step.is_moved || step.partner == Step::kNone || call_of_step(step) == nullptr) return false;
  const std::size_t holder = steps.before[step.partner].parent;
  const bool is_in_branch = holder != Step::kNone && steps.before[holder].kind == StepKind::kIf &&
                            steps.before[holder].status == StepStatus::kRemoved;
  return is_in_branch && blocks_around(steps.after, index, steps.before, *steps.after_source).empty();
}

std::string regrouped_words(const StepComparison& steps, std::size_t index) {
  const Step& now = steps.after[index];
  if (!now.is_moved || now.kind != StepKind::kIf || now.partner == Step::kNone) return {};
  const Step& was = steps.before[now.partner];
  if (was.fingerprint == now.fingerprint) return {};
  return fmt::format("; it runs in the same cases as {} did", header(steps.before, now.partner, *steps.before_source));
}

}  // namespace lockstep::report
