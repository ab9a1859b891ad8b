#include "report/story/settings/deciding_conditions.h"

#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/source/defaults.h"
#include "report/source/local_values.h"
#include "report/story/story.h"
#include "report/story/wording/predicates.h"
#include "report/ways/conditions/stored_settings.h"

namespace lockstep::report {

using namespace python;
using change::EntityKind;
using program::ClassId;
using program::FunctionId;
using program::Program;
using rules::text_of;

namespace {

/// The changed steps of a function, each with the branches that hold it.
struct GuardedSteps {
  std::vector<std::pair<const Step*, std::vector<Guard>>> steps;
  bool are_all = true;  ///< There are no more, and none was taken away.
};

GuardedSteps guarded_steps(const Actor& actor) {
  constexpr std::size_t kMostSteps = 100;
  GuardedSteps out;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept) continue;
    if (out.steps.size() == kMostSteps) {
      out.are_all = false;
      break;
    }
    out.steps.emplace_back(&step, guards_of(*actor.change->after->node, step.span));
  }
  // What was taken away stood somewhere too.
  const auto stays = [](const Step& step) { return step.status == StepStatus::kKept || step.partner != Step::kNone; };
  out.are_all = out.are_all && std::all_of(actor.steps.before.begin(), actor.steps.before.end(), stays);
  return out;
}

/// True if all changed steps of a function stand in one branch of `condition`: the `else` if that is `negated`.
bool guards_all_changes(const GuardedSteps& changed, const Expr& condition, bool negated) {
  return changed.are_all && std::all_of(changed.steps.begin(), changed.steps.end(), [&](const auto& each) {
           const auto& [step, guards] = each;
           const auto* branch = as<If>(step->node);
           if (branch != nullptr && branch->condition == &condition && branch->orelse.empty()) return true;
           return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
             return guard.condition == &condition && guard.negated == negated;
           });
         });
}

/// `if not self.enable: return`, behind which other changed steps stand.
bool only_leaves(const If& branch, const GuardedSteps& changed) {
  const auto* way_out = branch.body.size() == 1 && branch.orelse.empty() ? as<Return>(branch.body[0]) : nullptr;
  if (way_out == nullptr || (way_out->value != nullptr && !is<Constant>(way_out->value))) return false;
  return std::any_of(changed.steps.begin(), changed.steps.end(), [&](const auto& each) {
    const auto& guards = each.second;
    return std::any_of(guards.begin(), guards.end(),
                       [&](const Guard& guard) { return guard.condition == branch.condition && guard.negated; });
  });
}

/// What a new function returns that answers a question: who asks it asks for that.
void add_answers(const Actor& actor, std::size_t central, FunctionId function, std::vector<DecidingCondition>& out) {
  const auto* def = actor.is_added() ? as<FunctionDef>(actor.change->after->node) : nullptr;
  if (def == nullptr || !answers(*def)) return;
  walk_of<Return>(*def, Nested::kSkip, [&](const Return* result) {
    if (result->value != nullptr && !is<Constant>(result->value))
      out.push_back({result->value, false, actor.steps.after_source, GuardScope::kStep, central, true, function});
  });
}

/// The values of locals of the function that a condition asks to be true (`if enabled and x`, where `enabled` is only
/// ever `config.enable and self.training`): they are asked with it.
void add_held(const Actor& actor, std::vector<DecidingCondition>& out) {
  const auto* def = as<FunctionDef>(actor.change->after->node);
  if (def == nullptr) return;
  const std::size_t count = out.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (out[i].negated) continue;
    const auto* both = as<BoolOp>(out[i].expression);
    std::vector<const Expr*> asked = {out[i].expression};
    if (both != nullptr && both->op == BoolOperator::kAnd) asked.assign(both->values.begin(), both->values.end());
    for (const Expr* one : asked) {
      const auto* name = as<Name>(one);
      const Expr* value = name == nullptr ? nullptr : only_value_of(*def, name->id);
      if (value == nullptr || value == out[i].expression) continue;
      DecidingCondition held = out[i];
      held.expression = value;
      held.is_held = true;
      out.push_back(held);
    }
  }
}

}  // namespace

std::vector<DecidingCondition> conditions_of(const DocumentInputs& inputs, const Story& story) {
  std::vector<DecidingCondition> out;
  std::vector<std::size_t> order(story.central.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return story.central[a] < story.central[b]; });
  for (const std::size_t c : order) {
    const Actor& actor = story.actor(c);
    if (actor.steps.after_source == nullptr) continue;
    const FunctionId function = actor.change->after ? actor.change->after->function : FunctionId();
    const GuardedSteps changed = guarded_steps(actor);
    std::size_t told = 0;
    std::vector<DecidingCondition> own;
    // What a return before all of it leaves behind, or a branch of both versions around all of it.
    if (c < story.entries.size() && !story.entries[c].exits_before.valid() && !actor.is_added()) {
      for (const Guard& guard : story.entries[c].exits) {
        const bool is_step = std::any_of(changed.steps.begin(), changed.steps.end(), [&](const auto& each) {
          const auto* branch = as<If>(each.first->node);
          return branch != nullptr && branch->condition == guard.condition;
        });
        if (guard.condition != nullptr && !is_step)
          own.push_back(
              {guard.condition, guard.negated, actor.steps.after_source, GuardScope::kStep, c, false, function, true});
      }
    }
    for (const auto& [step, guards] : changed.steps) {
      if (const auto* branch = as<If>(step->node); branch != nullptr && step->kind == StepKind::kIf) {
        const bool is_exit = only_leaves(*branch, changed);
        own.push_back({branch->condition, is_exit, actor.steps.after_source, GuardScope::kStep, c, true, function,
                       guards_all_changes(changed, *branch->condition, is_exit),
                       only_checks(actor.steps.after, static_cast<std::size_t>(step - actor.steps.after.data()),
                                   [](const Attribute& one) { return !config_attribute(one).empty(); })});
      }
      // `assert not config.a or config.b`: what is refused.
      if (const auto* check = as<Assert>(step->node); check != nullptr && step->kind == StepKind::kPlain)
        own.push_back({check->test, true, actor.steps.after_source, GuardScope::kStep, c, true, function, false, true});
      // `x = a if config.b else c` decides as a branch does.
      walk_of<IfExp>(*step->node, Nested::kSkip, [&, step = step](const IfExp* one) {
        const bool was_there =
            step->partner != Step::kNone && actor.steps.before_source != nullptr &&
            contains(one_line_whole(*actor.steps.before_source, actor.steps.before[step->partner].span),
                     one_line_whole(*actor.steps.after_source, *one));
        if (step->span.contains(one->span) && !was_there)
          own.push_back({one->condition, false, actor.steps.after_source, GuardScope::kStep, c, true, function});
      });
      if (actor.is_added() || ++told > 20) continue;
      for (const Guard& guard : guards) {
        if (guard.condition != nullptr)
          own.push_back({guard.condition, guard.negated, actor.steps.after_source, GuardScope::kStep, c, false,
                         function, guards_all_changes(changed, *guard.condition, guard.negated)});
      }
    }
    add_answers(actor, c, function, own);
    add_held(actor, own);
    // What stands in such a branch is part of the check.
    for (DecidingCondition& one : own) {
      one.is_check = one.is_check || std::any_of(own.begin(), own.end(), [&](const DecidingCondition& other) {
                       return other.is_check && other.expression == one.expression && !one.negated;
                     });
    }
    out.insert(out.end(), own.begin(), own.end());
    const EntryPath& path = story.entries[c];
    for (std::size_t i = path.frames.size(); i-- > 0;) {
      const PathFrame& frame = path.frames[i];
      for (const Guard& guard : frame.guards) {
        // Where both sides lead on, the condition decides nothing.
        const bool decides = std::none_of(frame.two_sided.begin(), frame.two_sided.end(),
                                          [&](const Guard& one) { return one.condition == guard.condition; });
        // Farther away only what somebody has to set, and what chooses the function that is called.
        const bool is_near = i + 2 >= path.frames.size();
        const auto is_in = [&](const std::vector<const Expr*>& some) {
          return std::find(some.begin(), some.end(), guard.condition) != some.end();
        };
        const bool is_asked = guard.condition == frame.chosen_by || is_in(frame.asked);
        // What several settings together leave on is no switch.
        const bool is_nothing = guard.condition != nullptr && is_in(frame.on_by_default) &&
                                !is<Attribute>(guard.condition) && config_reads(*guard.condition).empty();
        // How often a loop runs decides on no function in it.
        if (guard.condition == nullptr || !decides || is_nothing || is<While>(guard.statement)) continue;
        out.push_back({guard.condition, guard.negated, &source_of(*inputs.after, frame.function), GuardScope::kWay, c,
                       false, frame.function});
        out.back().only_behind = !is_near && !is_asked;
      }
    }
  }
  return out;
}

}  // namespace lockstep::report
