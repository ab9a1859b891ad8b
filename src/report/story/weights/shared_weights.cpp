#include "report/story/weights/shared_weights.h"

#include <algorithm>

#include "python/tree_walk.h"

namespace lockstep::report {

namespace {

using program::FunctionId;
using program::Program;

constexpr double kBelow = 0.95;

// It stands in another file, or within another function or class, and does what it did.
bool only_moved(const Actor& actor) {
  if (!actor.is_function() || !actor.change->before || !actor.change->after || actor.role == Role::kTest) return false;
  if (!actor.change->moved && !actor.change->renamed) return false;
  std::size_t kept = 0, other = 0;
  for (const Step& step : actor.steps.after) ++(step.status == StepStatus::kKept || step.is_moved ? kept : other);
  for (const Step& step : actor.steps.before) other += step.status == StepStatus::kRemoved && !step.is_moved ? 1 : 0;
  constexpr std::size_t kTimes = 4;  // a `with` that became a decorator
  return kept > 0 && kept >= kTimes * other;
}

bool names(const Program& program, FunctionId function, FunctionId named) {
  const program::Function& one = program.functions()[function];
  if (one.node == nullptr) return false;
  const std::string_view name = program.functions()[named].name;
  bool found = false;
  python::walk_of<python::Name>(*one.node, python::Nested::kEnter, [&](const python::Name* use) {
    if (found || use->id != name) return;
    const program::Reference to = program.resolve(function, *use);
    found = to.kind == program::Reference::Kind::kFunction && to.function == named;
  });
  return found;
}

// A function that names the moved one now, and did not before.
bool comes_to_use(const DocumentInputs& inputs, const Actor& user, const Actor& moved) {
  if (user.role != Role::kSupporting && user.role != Role::kFollowing) return false;
  if (!user.is_function() || !user.change->before || !user.change->after) return false;
  const FunctionId was = user.change->before->function, is = user.change->after->function;
  return was.valid() && is.valid() && names(*inputs.after, is, moved.change->after->function) &&
         !names(*inputs.before, was, moved.change->before->function);
}

}  // namespace

void weigh_shared_code(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  for (Actor& moved : actors) {
    if (!only_moved(moved) || moved.role != Role::kSupporting) continue;
    const double weight = moved.weight;
    for (Actor& user : actors) {
      if (&user == &moved || !comes_to_use(inputs, user, moved)) continue;
      user.role = Role::kSupporting;
      user.weight = std::max(user.weight, weight);
      moved.weight = std::min(moved.weight, kBelow * weight);
      // What it had in its place until now goes with it.
      for (Actor& gone : actors) {
        const auto& before = gone.change->before;
        if (gone.is_removed() && before && before->function.valid() &&
            inputs.before->functions()[before->function].enclosing == user.change->before->function)
          gone.weight = std::min(gone.weight, kBelow * kBelow * weight);
      }
    }
  }
}

}  // namespace lockstep::report
