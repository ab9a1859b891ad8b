#include "report/ways/conditions/changed_switches.h"

#include <algorithm>

#include "report/story/steps/added_operand.h"
#include "report/ways/conditions/early_exits.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using program::FunctionId;

namespace {

/// Whether a step only gives a local a constant.
bool sets_constant(const Step& step) {
  const python::Expr* target = nullptr;
  const python::Expr* value = step.kind == StepKind::kPlain ? assigned_value(step.node, target) : nullptr;
  return target != nullptr && python::is<python::Name>(target) && python::is<python::Constant>(value);
}

/// Of what changes, what does something by itself: see Touched::working.
std::vector<Span> working_places(const std::vector<Step>& steps) {
  std::vector<Span> out;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    if (step.status == StepStatus::kKept || sets_constant(step)) continue;
    if (step.kind == StepKind::kIf && step.status == StepStatus::kAdded) {
      const auto is_old_below = [&](const Step& one) {
        return one.status == StepStatus::kKept && step.node->span.contains(one.span);
      };
      if (std::none_of(steps.begin(), steps.end(), is_old_below)) continue;
    }
    out.push_back(step.span);
  }
  return out;
}

/// Whether a step only gives a local, which nothing else gives a value, what is worked out without a call: whatever
/// reads it stands on this side alone, too.
bool only_names_value(const Step& step, const python::Node& function) {
  const python::Expr* target = nullptr;
  const python::Expr* value = step.kind == StepKind::kPlain ? assigned_value(step.node, target) : nullptr;
  const std::string_view local = rules::name_of(target);
  if (value == nullptr || local.empty() || python::is<python::Call>(value) ||
      (step.status != StepStatus::kAdded && step.status != StepStatus::kRemoved) ||
      rules::bindings_of(function, local, python::Nested::kEnter) != 1)
    return false;
  bool calls = false;
  python::walk_of<python::Call>(*value, python::Nested::kEnter, [&](const python::Call*) { calls = true; });
  return !calls;
}

/// Of what changes, what the function did not do in any other place: see Touched::fresh and Touched::gone.
std::vector<Span> fresh_places(const std::vector<Step>& steps, const std::vector<Span>& among,
                               const python::Node& function) {
  std::vector<Span> out;
  for (const Step& step : steps) {
    const bool is_one = std::any_of(among.begin(), among.end(), [&](Span one) { return one.begin == step.span.begin; });
    if (is_one && step.status != StepStatus::kKept && !step.is_moved && !only_names_value(step, function))
      out.push_back(step.span);
  }
  return out;
}

/// Of a changed assignment or condition: what it comes to evaluate now in one more operand. Where that stands, it is
/// evaluated; and the old version evaluated nothing that is gone.
void narrow_to_operands(const Actor& actor, Touched& touched) {
  if (actor.steps.before_source == nullptr || actor.steps.after_source == nullptr) return;
  const auto evaluated = [](const Step& step) -> const python::Expr* {
    const auto* branch = step.kind == StepKind::kIf ? python::as<python::If>(step.node) : nullptr;
    const python::Expr* target = nullptr;
    return branch != nullptr               ? branch->condition
           : step.kind == StepKind::kPlain ? assigned_value(step.node, target)
                                           : nullptr;
  };
  for (const Step& step : actor.steps.after) {
    if (step.status != StepStatus::kChanged || step.partner == Step::kNone || step.is_moved) continue;
    const Step& old = actor.steps.before[step.partner];
    const python::Expr* was = evaluated(old);
    const python::Expr* is = evaluated(step);
    if (was == nullptr || is == nullptr || old.kind != step.kind) continue;
    const python::Expr* added = added_operand(*was, *actor.steps.before_source, *is, *actor.steps.after_source);
    if (added == nullptr) continue;
    for (std::vector<Span>* places : {&touched.after, &touched.working, &touched.fresh})
      std::replace(places->begin(), places->end(), step.span, added->span);
    for (std::vector<Span>* places : {&touched.before, &touched.gone}) std::erase(*places, old.span);
  }
}

}  // namespace

Touched touched_by(const Actor& actor) {
  Touched touched;
  if (actor.is_added() || !actor.change->before || !actor.change->before->function.valid()) return touched;
  touched.function_before = actor.change->before->function;
  const auto add = [](const std::vector<Step>& steps, std::vector<Span>& places) {
    for (const Step& step : steps) {
      if (step.status != StepStatus::kKept) places.push_back(step.span);
    }
  };
  add(actor.steps.after, touched.after);
  touched.working = working_places(actor.steps.after);
  add(actor.steps.before, touched.before);
  if (actor.change->after && actor.change->after->node != nullptr)
    touched.fresh = fresh_places(actor.steps.after, touched.working, *actor.change->after->node);
  if (actor.change->before->node != nullptr)
    touched.gone = fresh_places(actor.steps.before, touched.before, *actor.change->before->node);
  narrow_to_operands(actor, touched);
  return touched;
}

void find_switches(const DocumentInputs& inputs, const SwitchedAttributes& attributes, FunctionId target,
                   const Actor& actor, Touched& touched) {
  if (!target.valid() || touched.after.empty()) return;
  EntryPath shared;
  find_exits(inputs, target, touched, shared);
  if (!shared.exits_before.valid()) touched.switches = attributes.asked_by(target, shared.exits);
  const auto is_known = [&](const Switched& one) {
    const auto is_same = [&](const Switched& other) { return other.read->name.text == one.read->name.text; };
    return std::any_of(touched.switches.begin(), touched.switches.end(), is_same) ||
           std::any_of(touched.branch_switches.begin(), touched.branch_switches.end(), is_same);
  };
  for (const Step& step : actor.steps.after) {
    const auto* branch = step.kind == StepKind::kIf ? python::as<python::If>(step.node) : nullptr;
    if (branch == nullptr || step.status != StepStatus::kAdded || step.partner != Step::kNone) continue;
    for (Switched& one : attributes.asked_by(target, *branch->condition, false)) {
      if (!is_known(one)) touched.branch_switches.push_back(std::move(one));
    }
  }
}

}  // namespace lockstep::report
