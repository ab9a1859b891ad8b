#include "report/story/weights/decorator_weights.h"

#include <algorithm>
#include <string_view>

#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using program::FunctionId;

namespace {

/// The function that holds all others which the function is defined in; itself where it is defined in none.
FunctionId outermost(const program::Program& program, FunctionId function) {
  while (program.functions()[function].enclosing.valid()) function = program.functions()[function].enclosing;
  return function;
}

/// Whether a decorator of the function is called so.
bool is_decorated_with(const python::FunctionDef& def, std::string_view name) {
  return std::any_of(def.decorators.begin(), def.decorators.end(), [&](const python::Expr* one) {
    const auto* call = python::as<python::Call>(one);
    const std::string dotted = dotted_text(call == nullptr ? one : call->callee);
    return std::string_view(dotted).substr(dotted.rfind('.') + 1) == name;
  });
}

}  // namespace

void weigh_decorators(const program::Program& program, std::vector<Actor>& actors) {
  constexpr double kWrapper = 0.4;
  const auto works_on = [&](const Actor& other, std::string_view decorator) {
    if (other.role != Role::kSupporting || !other.is_function() || other.is_added() || other.is_removed()) return false;
    const auto* def = python::as<python::FunctionDef>(other.change->after->node);
    const bool changes_inside = std::any_of(other.steps.after.begin(), other.steps.after.end(),
                                            [](const Step& step) { return step.status != StepStatus::kKept; });
    return def != nullptr && changes_inside && is_decorated_with(*def, decorator);
  };
  for (Actor& actor : actors) {
    if (actor.role != Role::kSupporting || !actor.is_function() || !actor.is_added()) continue;
    const FunctionId function = actor.change->after->function;
    if (!function.valid() || !program.functions()[function].enclosing.valid()) continue;
    const std::string_view decorator = program.functions()[outermost(program, function)].name;
    if (std::any_of(actors.begin(), actors.end(), [&](const Actor& other) { return works_on(other, decorator); }))
      actor.weight *= kWrapper;
  }
}

}  // namespace lockstep::report
