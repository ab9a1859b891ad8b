#include "report/story/steps/freed.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/checks/asked_around.h"
#include "report/story/checks/asked_before.h"
#include "report/story/wording/change_steps.h"
#include "report/story/wording/edits.h"
#include "rules/syntax/flow.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether the new version may leave before it comes to step `index` where the old one did not: a way out before it,
/// or a branch that holds one, is new or changed.
bool leaves_earlier(const Actor& actor, std::size_t index) {
  const std::vector<Step>& steps = actor.steps.after;
  for (std::size_t i = 0; i < index; ++i) {
    const Node* node = steps[i].node;
    const bool leaves =
        is<Return>(node) || is<Raise>(node) || is<Continue>(node) || is<Break>(node) || is<Assert>(node);
    if (!leaves) continue;
    for (std::size_t at = i; at != Step::kNone && end_of(steps, at) <= index; at = steps[at].parent) {
      if (steps[at].status != StepStatus::kKept) return true;
    }
  }
  return false;
}

/// Whether a new or changed step sets a name that `condition` reads.
bool is_set_anew(const StepComparison& steps, const Expr& condition) {
  std::set<std::string_view> names;
  const auto take = [&](const Node* node) {
    if (const auto* name = as<Name>(node)) names.insert(name->id);
  };
  take(&condition);
  walk(condition, Nested::kSkip, take);
  return std::any_of(steps.after.begin(), steps.after.end(), [&](const Step& step) {
    if (step.status == StepStatus::kKept) return false;
    const Expr* target = nullptr;
    if (assigned_value(step.node, target) == nullptr || target == nullptr) return false;
    const auto* name = as<Name>(target);
    return name != nullptr && names.contains(name->id);
  });
}

/// What a statement stands under, however it is written: `if a:` around `if b:` and `if a and b:` are two parts alike.
struct PartAround {
  std::string text;
  GoneCondition condition;  ///< Without a branch for loops, `with`, `else` and their like.
};

std::vector<PartAround> parts_around(const std::vector<Step>& steps, std::size_t index, const SourceText& source) {
  std::vector<PartAround> out;
  for (std::size_t up = steps[index].parent; up != Step::kNone; up = steps[up].parent) {
    const auto* branch = steps[up].kind == StepKind::kIf && !steps[up].is_elif ? as<If>(steps[up].node) : nullptr;
    if (branch == nullptr) {
      const bool is_else = steps[up].kind == StepKind::kElse;
      const auto* other = is_else ? as<If>(steps[up].node) : nullptr;
      out.push_back({(is_else ? "else " : "block ") +
                         one_line_whole(source, other != nullptr ? other->condition->span : steps[up].span),
                     {}});
      continue;
    }
    const auto* all = as<BoolOp>(branch->condition);
    const bool is_and = all != nullptr && all->op == BoolOperator::kAnd;
    const std::vector<const Expr*> parts = is_and ? std::vector<const Expr*>(all->values.begin(), all->values.end())
                                                  : std::vector<const Expr*>{branch->condition};
    for (const Expr* part : parts) out.push_back({one_line_whole(source, *part), {branch, part, false}});
  }
  return out;
}

/// The parts that stood around the step before and do not now, where none came; empty otherwise.
std::vector<GoneCondition> gone_parts(const Actor& actor, std::size_t index) {
  const std::vector<PartAround> was =
      parts_around(actor.steps.before, actor.steps.after[index].partner, *actor.steps.before_source);
  const std::vector<PartAround> now = parts_around(actor.steps.after, index, *actor.steps.after_source);
  const auto is_in = [](const PartAround& one, const std::vector<PartAround>& all) {
    return std::any_of(all.begin(), all.end(), [&](const PartAround& other) { return other.text == one.text; });
  };
  std::vector<GoneCondition> gone;
  for (const PartAround& one : now) {
    if (!is_in(one, was)) return {};
  }
  for (const PartAround& one : was) {
    if (is_in(one, now)) continue;
    if (one.condition.branch == nullptr) return {};
    gone.insert(gone.begin(), one.condition);
  }
  return gone;
}

/// Whether the new version asks the same in other words, by an earlier branch of an `elif` say.
bool is_asked_now(const Actor& actor, std::size_t index, const GoneCondition& gone) {
  const std::string asked = condition_words(*gone.condition, *actor.steps.before_source, gone.negated);
  const std::vector<Guard> guards = guards_of(*actor.change->after->node, actor.steps.after[index].span);
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    return guard.condition != nullptr &&
           condition_words(*guard.condition, *actor.steps.after_source, guard.negated) == asked;
  });
}

/// Whether something is asked now before step `index` that was not: what comes there may rule out what went.
bool asks_anew(const Actor& actor, std::size_t index) {
  const Step& step = actor.steps.after[index];
  const std::vector<std::string> was =
      asked_around(*actor.change->before->node, actor.steps.before[step.partner].span, *actor.steps.before_source);
  const std::vector<std::string> now = asked_around(*actor.change->after->node, step.span, *actor.steps.after_source);
  return std::any_of(now.begin(), now.end(),
                     [&](const std::string& one) { return std::find(was.begin(), was.end(), one) == was.end(); });
}

}  // namespace

/// Of a step that stays or is edited.
static std::vector<GoneCondition> conditions_gone_around(const DocumentInputs& inputs, const Actor& actor,
                                                         std::size_t index) {
  const Step& step = actor.steps.after[index];
  if (step.partner == Step::kNone || step.kind == StepKind::kElse) return {};
  std::vector<std::size_t> up;  // The blocks around it before, outermost first.
  bool any_gone = false;
  for (std::size_t at = actor.steps.before[step.partner].parent; at != Step::kNone;
       at = actor.steps.before[at].parent) {
    up.insert(up.begin(), at);
    any_gone = any_gone || actor.steps.before[at].status == StepStatus::kRemoved;
  }
  // Of a branch that only asks otherwise, its condition is told.
  if (!any_gone && actor.steps.before[step.partner].depth <= step.depth) return {};
  const auto is_alone = [&](const std::vector<Step>& steps, const Step& wanted) {
    return std::count_if(steps.begin(), steps.end(),
                         [&](const Step& one) { return one.fingerprint == wanted.fingerprint; }) == 1;
  };
  if (!is_alone(actor.steps.before, actor.steps.before[step.partner]) || !is_alone(actor.steps.after, step)) return {};
  const std::vector<std::string> was = blocks_around(actor.steps.before, step.partner, *actor.steps.before_source);
  const std::vector<std::string> now = blocks_around(actor.steps.after, index, *actor.steps.after_source);
  // Only where some conditions went and none came.
  std::size_t next = 0;
  std::vector<GoneCondition> gone;
  for (std::size_t i = 0; i < was.size(); ++i) {
    if (next < now.size() && now[next] == was[i]) {
      ++next;
      continue;
    }
    const Step& block = actor.steps.before[up[i]];
    const auto* branch = as<If>(block.node);
    // Behind a way out its `else` asked for nothing.
    const bool is_else = block.kind == StepKind::kElse;
    if (branch == nullptr || (is_else && rules::ends_block(*branch->body.back()))) return {};
    gone.push_back({branch, branch->condition, is_else});
  }
  if (next != now.size()) gone = gone_parts(actor, index);
  std::erase_if(gone, [&](const GoneCondition& one) { return is_asked_now(actor, index, one); });
  if (gone.empty() || leaves_earlier(actor, index) || asks_anew(actor, index) ||
      may_be_asked_before(inputs, actor, index))
    return {};
  return gone;
}

std::vector<GoneCondition> gone_conditions(const DocumentInputs& inputs, const Actor& actor, std::size_t index) {
  if (actor.steps.after[index].status != StepStatus::kKept) return {};
  return conditions_gone_around(inputs, actor, index);
}

std::string former_guard_words(const DocumentInputs& inputs, const Actor& actor, std::size_t index) {
  const Step& step = actor.steps.after[index];
  if (step.status != StepStatus::kChanged || step.kind != StepKind::kPlain || step.is_moved) return {};
  std::vector<std::string> conditions;
  for (const GoneCondition& one : conditions_gone_around(inputs, actor, index))
    conditions.push_back(condition_words(*one.condition, *actor.steps.before_source, one.negated));
  return conditions.empty() ? std::string() : fmt::format(" (formerly only when {})", join_words(conditions));
}

std::optional<FreedStep> freed_step(const DocumentInputs& inputs, const Actor& actor, std::size_t index,
                                    const WordsContext& context) {
  const std::vector<GoneCondition> gone = gone_conditions(inputs, actor, index);
  // What a condition asked for may not be given any more, where its names are set in another way.
  if (gone.empty() || std::any_of(gone.begin(), gone.end(),
                                  [&](const GoneCondition& one) { return is_set_anew(actor.steps, *one.condition); }))
    return std::nullopt;
  FreedStep out;
  out.what = code(one_line(*context.source, actor.steps.after[index].span, 60));
  out.is_of_several = gone.size() > 1;
  const SourceText& old_source = *actor.steps.before_source;
  std::vector<std::string> conditions;
  for (const GoneCondition& one : gone)
    conditions.push_back(condition_words(*one.condition, old_source, out.is_of_several ? one.negated : !one.negated));
  out.where = join_words(conditions);
  return out;
}

std::string freed_words(const std::vector<FreedStep>& steps) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> what;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool is_last = what.size() + 1 == kMost;
    if (is_last && i + 1 < steps.size()) {
      what.push_back(lockstep::count_of(steps.size() - i, "more step"));
      break;
    }
    what.push_back(steps[i].what);
  }
  const std::string all = join_words(what);
  return steps.front().is_of_several ? fmt::format("no longer comes to {} only where {}", all, steps.front().where)
                                     : fmt::format("comes to {} also where {}", all, steps.front().where);
}

}  // namespace lockstep::report
