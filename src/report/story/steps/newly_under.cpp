#include "report/story/steps/newly_under.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/steps/questions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

bool leaves(const Step& step) {
  const Node* node = step.node;
  return is<Return>(node) || is<Raise>(node) || is<Continue>(node) || is<Break>(node);
}

/// Whether the step may leave where what `asked` names is otherwise: it leaves, asserts, or only calls something with
/// it, which may raise then.
bool may_refuse(const Step& step, const SourceText& source, const std::set<std::string_view>& asked) {
  if (leaves(step) || is<Assert>(step.node)) return true;
  const auto* alone = as<ExprStmt>(step.node);
  return alone != nullptr && is<Call>(alone->value) && !rules::is_log_call(alone->value) &&
         std::any_of(asked.begin(), asked.end(), [&](std::string_view name) {
           return find_name(source.slice(step.span), name) != std::string_view::npos;
         });
}

/// Whether the old version may have left before step `index` where the new one does not.
bool left_before(const std::vector<Step>& before, const SourceText& source, std::size_t index,
                 const std::set<std::string_view>& asked) {
  for (std::size_t i = 0; i < index; ++i) {
    if (!may_refuse(before[i], source, asked)) continue;
    for (std::size_t at = i; at != Step::kNone && end_of(before, at) <= index; at = before[at].parent) {
      if (before[at].status != StepStatus::kKept) return true;
    }
  }
  return false;
}

bool stands_once(const std::vector<Step>& steps, const Step& step) {
  return std::count_if(steps.begin(), steps.end(),
                       [&](const Step& one) { return one.fingerprint == step.fingerprint; }) == 1;
}

/// Whether a step does more than to set a local: it calls for the sake of the call, leaves, or sets what others see.
bool has_effect(const Step& step) {
  if (step.kind != StepKind::kPlain) return false;
  if (leaves(step)) return true;
  if (const auto* alone = as<ExprStmt>(step.node)) return !rules::is_log_call(alone->value);
  const auto* added = as<AugAssign>(step.node);
  const Expr* target = added != nullptr ? added->target : nullptr;
  if (target == nullptr) (void)assigned_value(step.node, target);
  return target != nullptr && (is<Attribute>(target) || is<Subscript>(target));
}

}  // namespace

std::vector<std::size_t> stood_outside(const StepComparison& steps, std::size_t index) {
  const Step& block = steps.after[index];
  const bool is_block = (block.kind == StepKind::kIf && !block.is_elif) || block.kind == StepKind::kFor ||
                        block.kind == StepKind::kWhile || block.kind == StepKind::kWith;
  std::vector<std::size_t> out;
  if (!is_block || block.status != StepStatus::kAdded) return out;
  const std::size_t around = block.parent == Step::kNone ? Step::kNone : steps.after[block.parent].partner;
  // In another new block it stands under more than this.
  if (block.parent != Step::kNone && around == Step::kNone) return out;
  const auto* branch = as<If>(block.node);
  const std::set<std::string_view> asked =
      branch == nullptr ? std::set<std::string_view>() : names_asked(*branch->condition);
  for (std::size_t i = index + 1; i < end_of(steps.after, index); ++i) {
    const Step& inner = steps.after[i];
    if (inner.parent != index || inner.partner == Step::kNone || inner.kind == StepKind::kElse || inner.is_elif)
      continue;
    const Step& was = steps.before[inner.partner];
    // The head of a branch that asks something else now is not what ran.
    if (inner.kind != StepKind::kPlain && inner.status == StepStatus::kChanged) continue;
    if (was.parent != around || was.kind != inner.kind || was.is_elif || !stands_once(steps.after, inner) ||
        !tells_itself(was) || left_before(steps.before, *steps.before_source, inner.partner, asked))
      continue;
    out.push_back(inner.partner);
  }
  return out;
}

std::string stood_outside_words(const StepComparison& steps, std::size_t index) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kMostOfLoop = 4;  // Steps: what a longer loop does anew is told by its calls.
  std::vector<std::size_t> stood = stood_outside(steps, index);
  const StepKind kind = steps.after[index].kind;
  const std::size_t end = end_of(steps.after, index);
  const auto holds = [&](std::size_t i) { return steps.after[i].parent == index; };
  std::size_t children = 0;
  for (std::size_t i = index + 1; i < end; ++i) children += holds(i) ? 1u : 0u;
  if (kind == StepKind::kFor || kind == StepKind::kWhile) {
    // An edited call of a loop may be another one than that which stood there.
    std::erase_if(stood, [&](std::size_t i) { return steps.before[i].status == StepStatus::kChanged; });
    if (children > kMostOfLoop) return {};
  }
  if (stood.empty()) return {};
  const bool has_other_side = end < steps.after.size() && steps.after[end].depth == steps.after[index].depth &&
                              (steps.after[end].kind == StepKind::kElse || steps.after[end].is_elif);
  const std::string_view where = kind == StepKind::kIf     ? "without that condition"
                                 : kind == StepKind::kWith ? "outside of it"
                                                           : "outside of that loop";
  const bool is_all = stood.size() == children && !has_other_side &&
                      std::all_of(stood.begin(), stood.end(),
                                  [&](std::size_t i) { return steps.before[i].status != StepStatus::kChanged; });
  if (is_all) return fmt::format("; before, {} stood {}", children == 1 ? "this step" : "these steps", where);
  std::vector<std::string> shown;
  for (const std::size_t i : stood) {
    if (shown.size() == kMost) break;
    shown.push_back(code(one_line(*steps.before_source, steps.before[i].span, 60)));
  }
  if (stood.size() > kMost) shown.push_back(fmt::format("{} more", stood.size() - kMost));
  return fmt::format("; before, {}: {}", where, join_words(shown));
}

bool guards_work_that_was_done(const StepComparison& steps, std::size_t index) {
  if (steps.after[index].kind != StepKind::kIf) return false;
  const std::vector<std::size_t> stood = stood_outside(steps, index);
  return std::any_of(stood.begin(), stood.end(), [&](std::size_t first) {
    for (std::size_t i = first; i < end_of(steps.before, first); ++i) {
      if (has_effect(steps.before[i])) return true;
    }
    return false;
  });
}

const Expr* newly_asked_around(const StepComparison& steps, std::size_t index) {
  const Step& step = steps.after[index];
  if (step.status != StepStatus::kChanged || step.parent == Step::kNone ||
      steps.after[step.parent].kind != StepKind::kIf)
    return nullptr;
  const std::vector<std::size_t> stood = stood_outside(steps, step.parent);
  return std::find(stood.begin(), stood.end(), step.partner) == stood.end()
             ? nullptr
             : as<If>(steps.after[step.parent].node)->condition;
}

bool only_measures(const Step& step) {
  const auto* with = as<With>(step.node);
  if (with == nullptr) return false;
  static constexpr std::string_view kMeasuring[] = {"nvtx",  "record_function", "timer", "profile",
                                                    "range", "trace",           "span",  "annotate"};
  return std::all_of(with->items.begin(), with->items.end(), [](const WithItem* item) {
    const auto* call = as<Call>(item->context);
    const std::string name = to_lower(dotted_text(call != nullptr ? call->callee : item->context));
    return std::any_of(std::begin(kMeasuring), std::end(kMeasuring),
                       [&](std::string_view word) { return contains(name, word); });
  });
}

}  // namespace lockstep::report
