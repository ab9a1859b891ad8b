#include "report/story/weights/idle_functions.h"

#include <algorithm>

#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

bool is_idle(const std::vector<Step>& steps) {
  return std::all_of(steps.begin(), steps.end(), [](const Step& step) {
    const auto* returned = as<Return>(step.node);
    const auto* expression = as<ExprStmt>(step.node);
    const bool is_constant = expression != nullptr && is<Constant>(expression->value);
    return step.kind == StepKind::kPlain &&
           (is<Pass>(step.node) || is_constant ||
            (returned != nullptr && (returned->value == nullptr || rules::is_none(returned->value))));
  });
}

bool is_edited_function(const Actor& actor) {
  return actor.is_function() && !actor.is_module_code && !actor.is_added() && !actor.is_removed() &&
         actor.steps.before_source != nullptr && actor.steps.after_source != nullptr;
}

}  // namespace

bool did_nothing(const Actor& actor) {
  return is_edited_function(actor) && is_idle(actor.steps.before) && !is_idle(actor.steps.after);
}

bool does_nothing_any_more(const Actor& actor) {
  return is_edited_function(actor) && !is_idle(actor.steps.before) && is_idle(actor.steps.after);
}

void weigh_idle_functions(std::vector<Actor>& actors) {
  constexpr double kAbove = 1.02;
  double top = 0;
  const auto counts = [](const Actor& actor) { return actor.role == Role::kSupporting && actor.is_function(); };
  for (const Actor& actor : actors) {
    if (counts(actor) && !actor.is_added()) top = std::max(top, actor.weight);
  }
  for (Actor& actor : actors) {
    if (counts(actor) && (did_nothing(actor) || does_nothing_any_more(actor)))
      actor.weight = std::max(actor.weight, kAbove * top);
  }
}

}  // namespace lockstep::report
