// An argument that a call passes for the first time -> what was done without it: the parameter is followed through the
// functions that hand it on to the first that asks whether it is None.
#pragma once

#include <string>

#include "report/story/calls/changed_arguments.h"

namespace lockstep::report {

/// "Before, `f` was not given `x`; where it is `None`, `g`, which can get it from there, runs `x = y` (place)"; empty
/// where that is not known.
std::string given_note(const DocumentInputs& inputs, const ChangedArgument& argument);

}  // namespace lockstep::report
