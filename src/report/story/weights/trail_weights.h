// What new data passes through carries the change, however few lines of it differ.
#pragma once

#include "report/story/story.h"

namespace lockstep::report {

/// Adds to the weight of functions, but for small new ones, on the longest way of new data: Chains::functions of
/// trails/chain.h.
void weigh_trail(const std::vector<const Actor*>& way, Story& story);

}  // namespace lockstep::report
