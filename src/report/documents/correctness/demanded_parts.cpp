#include "report/documents/correctness/demanded_parts.h"

#include <algorithm>
#include <vector>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// A parameter that is to be there, or the attribute of one.
struct Demand {
  std::string_view parameter;
  std::string_view attribute;  ///< Empty where the parameter itself is asked for.
};

/// `x`, `x.y`; without a name for anything else.
Demand demand_of(const Expr* place) {
  const auto* member = as<Attribute>(place);
  return member == nullptr ? Demand{rules::name_of(place), {}}
                           : Demand{rules::name_of(member->value), member->name.text};
}

/// What `condition` asks to be there: `x is not None`, `x.y is not None`, `hasattr(x, "y")`; with `negated`, the
/// opposite of those. Without a name for others.
Demand demanded_by(const Expr& condition, bool negated) {
  if (const auto* unary = as<UnaryOp>(&condition); unary != nullptr && unary->op == UnaryOperator::kNot)
    return demanded_by(*unary->operand, !negated);
  if (const auto test = rules::none_test(condition))
    return test->is_none == negated ? demand_of(test->subject) : Demand{};
  const auto* call = as<Call>(&condition);
  if (!negated && call != nullptr && rules::name_of(call->callee) == "hasattr" && call->arguments.size() == 2)
    return {rules::name_of(call->arguments[0]), rules::text_of(call->arguments[1])};
  return {};
}

/// All that a check asks to be there; none where it asks for something else, too. For a branch that refuses `condition`
/// is what holds where it does.
std::vector<Demand> demands_of(const Expr& condition, bool refuses) {
  std::vector<Demand> out;
  const auto* several = as<BoolOp>(&condition);
  if (several != nullptr && several->op == (refuses ? BoolOperator::kOr : BoolOperator::kAnd)) {
    for (const Expr* one : several->values) out.push_back(demanded_by(*one, refuses));
  } else {
    out.push_back(demanded_by(condition, refuses));
  }
  const bool is_told = std::all_of(out.begin(), out.end(), [](const Demand& one) { return !one.parameter.empty(); });
  return is_told ? out : std::vector<Demand>();
}

/// Of an assertion, or a branch of nothing but a refusal; none for other steps.
std::vector<Demand> demands_of(const std::vector<Step>& steps, std::size_t index) {
  if (!only_refuses(steps, index)) return {};
  if (const auto* claim = as<Assert>(steps[index].node)) return demands_of(*claim->test, false);
  const auto* branch = steps[index].kind == StepKind::kIf ? as<If>(steps[index].node) : nullptr;
  if (branch == nullptr || !branch->orelse.empty() || branch->body.size() != 1 || !is<Raise>(branch->body.front()))
    return {};
  return demands_of(*branch->condition, true);
}

bool is_it(const Expr* expression, const Demand& demand) {
  if (demand.attribute.empty()) return rules::name_of(expression) == demand.parameter;
  const auto* member = as<Attribute>(expression);
  return member != nullptr && member->name.text == demand.attribute;
}

bool mentions(const Node& node, const Demand& demand) {
  return demand.attribute.empty() ? rules::mentions_name(node, demand.parameter)
                                  : rules::mentions_attribute(node, demand.attribute);
}

/// Where the code knows that it may not be there: what stands under, or behind, a condition that asks for it, and what
/// has something else stand in for it.
std::vector<Span> aware_of(const FunctionDef& function, const Demand& demand) {
  std::vector<Span> out;
  walk(function, Nested::kEnter, [&](const Node* node) {
    if (const auto* choice = as<IfExp>(node)) {
      if (mentions(*choice->condition, demand)) out.push_back(choice->span);
    } else if (const auto* branch = as<If>(node)) {
      const bool is_refusal = branch->body.size() == 1 && is<Raise>(branch->body.front());
      if (!is_refusal && mentions(*branch->condition, demand)) out.push_back(branch->span);
    } else if (const auto* either = as<BoolOp>(node)) {
      const bool has_other = either->op == BoolOperator::kOr && is_it(either->values.front(), demand);
      if (has_other) out.push_back(either->span);
    }
  });
  return out;
}

/// Whether the function reads it somewhere where it has to be there.
bool needs(const FunctionDef& function, const Demand& demand) {
  const std::vector<Span> aware = aware_of(function, demand);
  bool found = false;
  walk(function, Nested::kEnter, [&](const Node* node) {
    const auto* expression = is<Attribute>(node) || is<Name>(node) ? static_cast<const Expr*>(node) : nullptr;
    if (found || expression == nullptr || !is_it(expression, demand)) return;
    found = std::none_of(aware.begin(), aware.end(), [&](Span span) { return span.contains(node->span); });
  });
  return found;
}

/// Whether what the function calls with the parameter reads its attribute where it has to be there.
bool callees_need(const program::Program& program, program::FunctionId function, const Demand& demand) {
  for (const program::CallId id : program.functions()[function].calls) {
    const program::CallSite& site = program.calls()[id];
    const auto* call = as<Call>(site.node);
    if (call == nullptr || !rules::mentions_name(*call, demand.parameter)) continue;
    for (const program::CallTarget& target : site.targets) {
      const FunctionDef* def = target.function.valid() ? program.functions()[target.function].def() : nullptr;
      if (def != nullptr && needs(*def, demand)) return true;
    }
  }
  return false;
}

bool was_optional(const DocumentInputs& inputs, const Actor& actor, const Demand& demand) {
  const auto* before = as<FunctionDef>(actor.change->before->node);
  const auto* after = as<FunctionDef>(actor.change->after->node);
  const Parameter* had = rules::parameter_named(before, demand.parameter);
  if (had == nullptr || demand.parameter == "self" || demand.parameter == "cls" ||
      rules::parameter_named(after, demand.parameter) == nullptr || rules::binds_name(*after, demand.parameter) ||
      needs(*before, demand))
    return false;
  // Of the parameter itself something has to have stood in: handed on, somebody else may need it.
  if (demand.attribute.empty()) return rules::is_none(had->default_value) && !aware_of(*before, demand).empty();
  return !callees_need(*inputs.before, actor.change->before->function, demand);
}

}  // namespace

bool demands_what_was_optional(const DocumentInputs& inputs, const Actor& actor, std::size_t index) {
  const std::vector<Step>& steps = actor.steps.after;
  const Step& step = steps[index];
  if (step.status != StepStatus::kAdded || step.taken_from != nullptr || is_moved_whole(steps, index) ||
      !actor.change->before || !actor.change->after || !is<FunctionDef>(actor.change->before->node) ||
      !actor.change->before->function.valid() || !is<FunctionDef>(actor.change->after->node))
    return false;
  const std::vector<Demand> demands = demands_of(steps, index);
  // Where a branch asks for it already, the check only says what is known there.
  const std::vector<Guard> guards = guards_of(*actor.change->after->node, step.span);
  const bool is_asked_before = std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    return guard.condition != nullptr && std::any_of(demands.begin(), demands.end(), [&](const Demand& one) {
             return mentions(*guard.condition, one);
           });
  });
  if (is_asked_before) return false;
  return !demands.empty() && std::all_of(demands.begin(), demands.end(),
                                         [&](const Demand& one) { return was_optional(inputs, actor, one); });
}

std::size_t check_against_default(const Actor& actor, std::string_view parameter) {
  const auto* def = actor.change->after ? as<FunctionDef>(actor.change->after->node) : nullptr;
  const Parameter* taken = rules::parameter_named(def, parameter);
  if (taken == nullptr || !rules::is_none(taken->default_value) || rules::binds_name(*def, parameter))
    return Step::kNone;
  const std::vector<Step>& steps = actor.steps.after;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::vector<Demand> demands = demands_of(steps, i);
    const bool asks = std::any_of(demands.begin(), demands.end(), [&](const Demand& one) {
      return one.attribute.empty() && one.parameter == parameter;
    });
    // Under a condition that asks for it, it is there.
    const std::vector<Guard> guards = asks ? guards_of(*def, steps[i].span) : std::vector<Guard>();
    const bool is_asked_before = std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
      return guard.condition != nullptr && rules::mentions_name(*guard.condition, parameter);
    });
    if (asks && !is_asked_before) return i;
  }
  return Step::kNone;
}

}  // namespace lockstep::report
