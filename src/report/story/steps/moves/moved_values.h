// A value that a function worked out by a call, and that a new function works out now which is reached through new
// ones, in a statement of another form:
//   index = build_index(ids, n)   ->   return build_index(ids, m), sizes_of(ids)   in `_metadata`
#pragma once

#include "report/story/steps/moves/moving_steps.h"

namespace lockstep::report {

/// Sets Step::elsewhere, is_led_there and differs_there of removed assignments of a local, and of the branches that
/// hold nothing else, whose question the new function asks, too: where the function itself calls the same no more, and
/// one of the new functions that calls lead to does, with as many arguments and one of them the same.
void match_moved_values(LosingFunction& from);

}  // namespace lockstep::report
