#include "report/story/settings/shared_constants.h"

#include <algorithm>

#include "change/names.h"
#include "python/tree_walk.h"

namespace lockstep::report {

using namespace python;

namespace {

bool reads(const Node& function, std::string_view name) {
  bool found = false;
  walk_of<Name>(function, Nested::kEnter,
                [&](const Name* one) { found = found || (one->id == name && one->context == ExprContext::kLoad); });
  walk_of<Attribute>(function, Nested::kEnter, [&](const Attribute* one) {
    found = found || (one->name.text == name && one->context == ExprContext::kLoad);
  });
  return found;
}

}  // namespace

void weigh_constants(std::vector<Actor>& actors) {
  constexpr std::size_t kFewest = 2;
  constexpr double kAbove = 1.02;
  const auto is_code = [](const Actor& actor) {
    return actor.role == Role::kSupporting && actor.is_function() && actor.change->after &&
           actor.change->after->node != nullptr && !actor.is_module_code;
  };
  for (Actor& actor : actors) {
    const auto& differences = actor.change->differences;
    const bool has_other_value =
        actor.change->kind == change::EntityKind::kVariable && actor.change->before && actor.change->after &&
        std::any_of(differences.begin(), differences.end(),
                    [](const change::Difference& one) { return one.kind == change::DifferenceKind::kValueChanged; });
    if (!has_other_value || actor.role != Role::kSupporting) continue;
    const std::string_view name = change::last_part(actor.change->after->qualified_name);
    std::size_t readers = 0;
    double heaviest = 0;
    for (const Actor& other : actors) {
      if (!is_code(other) || !reads(*other.change->after->node, name)) continue;
      ++readers;
      heaviest = std::max(heaviest, other.weight);
    }
    if (readers >= kFewest) actor.weight = std::max(actor.weight, kAbove * heaviest);
  }
}

}  // namespace lockstep::report
