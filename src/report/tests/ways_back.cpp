#include "report/tests/ways_back.h"

#include <algorithm>
#include <utility>

namespace lockstep::report {

void WaysBack::add(WayBack way) {
  std::vector<std::size_t>& known = by_function[way.function.value];
  const auto holds = [](const auto& fewer, const auto& more) {
    return std::all_of(fewer.begin(), fewer.end(),
                       [&](const auto& one) { return std::find(more.begin(), more.end(), one) != more.end(); });
  };
  const bool is_needless = std::any_of(known.begin(), known.end(), [&](std::size_t index) {
    const WayBack& one = pending[index];
    return (one.is_sure || !way.is_sure) && holds(one.classes, way.classes) && holds(one.parameters, way.parameters) &&
           holds(one.under, way.under) && holds(one.methods, way.methods);
  });
  if (is_needless) return;
  // One that needs nothing is sure whatever the others need: it always has room.
  const bool is_free = way.classes.empty() && way.parameters.empty() && way.under.empty() && way.methods.empty();
  if (known.size() >= kMostOfOne && !is_free) {
    add({way.function, way.distance, {}, {}, {}, {}, false});
    return;
  }
  known.push_back(pending.size());
  pending.push_back(std::move(way));
}

}  // namespace lockstep::report
