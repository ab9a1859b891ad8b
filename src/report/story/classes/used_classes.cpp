#include "report/story/classes/used_classes.h"

#include <algorithm>
#include <set>

namespace lockstep::report {

namespace {

/// Functions that call the class or a method of it.
std::set<std::uint32_t> users_of(const program::Program& program, program::ClassId cls) {
  std::set<std::uint32_t> out;
  for (const program::FunctionId method : program.classes()[cls].methods) {
    for (const program::CallId call : program.callers_of(method)) out.insert(program.calls()[call].caller.value);
  }
  return out;
}

}  // namespace

void weigh_used_classes(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr std::size_t kFewest = 3;
  constexpr double kAbove = 1.05;
  for (Actor& actor : actors) {
    if (actor.role != Role::kSupporting || !actor.is_added() || actor.is_unnamed ||
        actor.change->kind != change::EntityKind::kClass || !actor.change->after->cls.valid())
      continue;
    const std::set<std::uint32_t> users = users_of(*inputs.after, actor.change->after->cls);
    std::size_t edited = 0;
    double heaviest = 0;
    for (const Actor& other : actors) {
      if (other.role != Role::kSupporting || !other.is_function() || other.is_added() || other.is_removed() ||
          !other.change->after->function.valid() || !users.contains(other.change->after->function.value))
        continue;
      ++edited;
      heaviest = std::max(heaviest, other.weight);
    }
    if (edited >= kFewest) actor.weight = std::max(actor.weight, kAbove * heaviest);
  }
}

}  // namespace lockstep::report
