// A story told with fewer central entities: the others become supporting ones.
#include <algorithm>

#include "report/story/story.h"

namespace lockstep::report {

Story with_central(const Story& story, std::size_t most) {
  if (story.central.size() <= most) return story;
  std::vector<std::size_t> kept = story.central;
  std::sort(kept.begin(), kept.end());  // Actors stand by weight.
  kept.resize(most);
  Story out = story;
  out.central.clear();
  out.entries.clear();
  out.origins.clear();
  out.tests.clear();
  out.skipped.clear();
  out.replacing.clear();
  out.unset.clear();
  std::vector<std::size_t> new_index(story.central.size(), SIZE_MAX);
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    if (std::find(kept.begin(), kept.end(), story.central[i]) == kept.end()) {
      if (out.actors[story.central[i]].role == Role::kCentral) out.actors[story.central[i]].role = Role::kSupporting;
      continue;
    }
    new_index[i] = out.central.size();
    out.central.push_back(story.central[i]);
    out.entries.push_back(story.entries[i]);
    out.origins.push_back(story.origins[i]);
    out.tests.push_back(story.tests[i]);
    out.skipped.push_back(story.skipped[i]);
    out.replacing.push_back(story.replacing[i]);
    out.unset.push_back(story.unset[i]);
  }
  // The condition stands in code that is not told: then it is told of what the change does to the setting itself.
  const auto is_cut = [&](const Flag& flag) {
    return flag.guarded != SIZE_MAX && (flag.guarded >= new_index.size() || new_index[flag.guarded] == SIZE_MAX);
  };
  std::erase_if(out.flags, [&](const Flag& flag) {
    return is_cut(flag) && !flag.is_new && !flag.is_changed && !flag.is_decided_here;
  });
  for (Flag& flag : out.flags) {
    if (flag.guarded == SIZE_MAX) continue;
    if (!is_cut(flag)) {
      flag.guarded = new_index[flag.guarded];
      continue;
    }
    flag.guarded = SIZE_MAX;
    flag.scope = GuardScope::kNone;
    flag.guards.clear();
    flag.runs_by_default.reset();
  }
  return out;
}

}  // namespace lockstep::report
