// Code that a change takes out of one function and puts into others that it calls, or that call it: what was `self.x`
// here may be a parameter there. Told as moved, not as dropped and written anew.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Sets Step::elsewhere, is_led_there, differs_there and returned_by. What match_hand_overs found stays. Few tokens say
/// nothing alone: such a step counts beside one that says enough and went to the same place.
void match_moved_code(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
