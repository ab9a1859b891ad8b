// Values that a change puts into one and the same call in many places: `self.owner = owner` that became
// `self.owner = ref(owner)`, `append(item)` that became `append(ref(item))`.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// "`ref(…)` now stands around `item`, `self` and `owner`, which stood alone before, in `Order.append` and
/// `Group.__init__`." of each function that three places or more come to call so; tests left out. Most places first.
std::vector<std::string> wrapped_value_items(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
