// New functions that are called where a function was called that is gone.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Fills Actor::successor_of of functions and methods that the change adds: where changed statements call one of them,
/// and none else, in the place of one that the change removes from the same class or module, and of none else.
void mark_successors(std::vector<Actor>& actors);

}  // namespace lockstep::report
