// An argument that a call passes for the first time -> what was done without it: the parameter is followed through the
// functions that hand it on to the first that asks whether it is None. Leaves out arguments by position and by `**`.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// "Before, `f` was not given `x`; where it is `None`, `g` (place), which can get it from there, runs `x = y`", one
/// for each new argument of which that is known; at most `most`.
std::vector<std::string> given_notes(const DocumentInputs& inputs, const Actor& actor, std::size_t most);

}  // namespace lockstep::report
