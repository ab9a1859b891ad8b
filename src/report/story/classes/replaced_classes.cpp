#include "report/story/classes/replaced_classes.h"

#include <algorithm>
#include <optional>

#include "python/tree_walk.h"
#include "report/story/steps/steps.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::Program;

namespace {

/// The class that the expression names; none for others.
ClassId class_named(const Program& program, program::FunctionId function, const Expr* name) {
  if (name == nullptr || (!is<Name>(name) && !is<Attribute>(name))) return {};
  const program::Reference named = program.resolve(function, *name);
  return named.kind == program::Reference::Kind::kClass ? named.cls : ClassId();
}

/// The class whose objects the assignment makes: `x = Head(…)`; none for others.
ClassId class_made(const Program& program, program::FunctionId function, const Node* statement) {
  const Expr* target = nullptr;
  const auto* call = as<Call>(assigned_value(statement, target));
  return call == nullptr ? ClassId() : class_named(program, function, call->callee);
}

/// The class of the side before that has the name of this one; none where it is new.
ClassId old_class(const DocumentInputs& inputs, ClassId cls) {
  return cls.valid() ? inputs.before->find_class(inputs.after->classes()[cls].qualified_name) : ClassId();
}

}  // namespace

std::vector<ReplacedClass> replaced_classes(const DocumentInputs& inputs, const Story& story) {
  std::vector<ReplacedClass> out;
  const auto add = [&](ClassId now, ClassId was) {
    if (!now.valid() || !was.valid() || old_class(inputs, now).valid()) return;
    const bool is_known =
        std::any_of(out.begin(), out.end(), [&](const ReplacedClass& one) { return one.now == now && one.was == was; });
    if (!is_known) out.push_back({now, was});
  };
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.change->before || !actor.change->after ||
        !actor.change->after->function.valid() || !actor.change->before->function.valid())
      continue;
    const program::FunctionId function = actor.change->after->function;
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept || step.node == nullptr || step.kind != StepKind::kPlain) continue;
      if (step.status == StepStatus::kChanged && step.partner != Step::kNone)
        add(class_made(*inputs.after, function, step.node),
            class_made(*inputs.before, actor.change->before->function, actor.steps.before[step.partner].node));
      walk_of<IfExp>(*step.node, Nested::kSkip, [&](const IfExp* choice) {
        const ClassId one = class_named(*inputs.after, function, choice->body);
        const ClassId other = class_named(*inputs.after, function, choice->orelse);
        add(one, old_class(inputs, other));
        add(other, old_class(inputs, one));
      });
    }
  }
  return out;
}

}  // namespace lockstep::report
