// Counters that a function no longer sets back: they count on, over all that is done, where they told of the last
// while.
//   self._hits = 0   is gone, and   self._hits += 1   stays
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

struct GoneResets {
  std::string text;                ///< "no longer resets `self.a` and `self.b`; only `G` (`path:line`) does now".
  std::vector<std::string> where;  ///< Conditions under which it did; marked text.
  std::set<std::size_t> steps;     ///< Indices of the before side that it tells, blocks of nothing else with them.
};

/// Of all attributes of `self` that steps of a changed function set to a number, which none sets now, neither there nor
/// in what it calls, and that code outside tests counts up. Empty where there are none; constructors reset nothing.
GoneResets gone_resets(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
