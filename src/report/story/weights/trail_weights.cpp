#include "report/story/weights/trail_weights.h"

#include <algorithm>
#include <set>

namespace lockstep::report {

void weigh_trail(const std::vector<const Actor*>& way, Story& story) {
  constexpr double kShare = 0.6;  // Of the heaviest.
  double top = 0;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kSupporting) top = std::max(top, actor.weight);
  }
  const std::set<const Actor*> on_way(way.begin(), way.end());
  const auto is_small = [](const Actor& actor) {
    constexpr std::size_t kFewSteps = 5;
    return actor.is_added() && actor.steps.after.size() < kFewSteps;
  };
  for (Actor& actor : story.actors) {
    // A small helper that is new says all by its name.
    if (actor.role == Role::kSupporting && on_way.contains(&actor) && !is_small(actor)) actor.weight += kShare * top;
  }
}

}  // namespace lockstep::report
