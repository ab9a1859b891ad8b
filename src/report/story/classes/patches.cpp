#include "report/story/classes/patches.h"

#include <algorithm>

#include "report/source/code.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether a step sets an attribute of what a library has, to something that is called.
bool patches_library(const DocumentInputs& inputs, const Actor& actor, const Step& step) {
  if (step.status == StepStatus::kKept || step.is_moved || step.kind != StepKind::kPlain) return false;
  const Expr* target = nullptr;
  const Expr* value = assigned_value(step.node, target);
  const auto* member = value == nullptr ? nullptr : as<Attribute>(target);
  if (member == nullptr || (!is<Name>(value) && !is<Attribute>(value) && !is<Lambda>(value))) return false;
  const program::FunctionId function = actor.change->after->function;
  const program::Reference whole = inputs.after->resolve(function, *member->value);
  if (whole.kind != program::Reference::Kind::kExternal) return false;
  if (is<Lambda>(value)) return true;
  const program::Reference given = inputs.after->resolve(function, *value);
  return given.kind == program::Reference::Kind::kFunction;
}

}  // namespace

void weigh_patches(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr double kPatch = 12;
  for (Actor& actor : actors) {
    if (actor.role != Role::kSupporting || !actor.is_function() || actor.is_removed() || !actor.change->after ||
        !actor.change->after->function.valid())
      continue;
    const auto& steps = actor.steps.after;
    if (std::any_of(steps.begin(), steps.end(), [&](const Step& step) { return patches_library(inputs, actor, step); }))
      actor.weight += kPatch;
  }
}

}  // namespace lockstep::report
