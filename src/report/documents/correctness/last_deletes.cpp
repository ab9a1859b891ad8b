#include "report/documents/correctness/last_deletes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/document.h"
#include "report/story/steps/last_deletes.h"

namespace lockstep::report {

void add_last_deletes(const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> places;
  for (const Actor& actor : story.actors) {
    if (!actor.is_function() || actor.role == Role::kTest || actor.steps.after_source == nullptr) continue;
    for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
      const Step& step = actor.steps.after[i];
      if (!lets_go_at_return(actor, i)) continue;
      places.push_back(fmt::format("{} ({})", code(one_line(*actor.steps.after_source, step.span, 60)),
                                   place(actor.change->after->path, step.first_line)));
    }
  }
  if (places.empty()) return;
  const bool is_one = places.size() == 1;
  const std::size_t all = places.size();
  if (all > kMostNamed + 1) places.resize(kMostNamed);
  if (places.size() < all) places.push_back(fmt::format("{} more", all - places.size()));
  risks.push_back({RiskKind::kPerformance,
                   fmt::format("{} {} right before the {}, which {} go of these locals anyway.", join_words(places),
                               is_one ? "stands" : "stand", is_one ? "return" : "returns", is_one ? "lets" : "let"),
                   "It frees nothing earlier", false});
}

}  // namespace lockstep::report
