// A check that a function lost, and that a new function makes in other words: what it refused is refused there.
#pragma once

#include <string>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// "The new `f` refuses it when …" of the assertion or refusing branch `gone` that the actor lost: where a new function
/// outside tests raises by a comparison of the same kind with the same call, and says so in much the same words. Empty
/// where none does, and where several do.
std::string refused_in_new_function(const DocumentInputs& inputs, const Actor& actor, const Step& gone);

}  // namespace lockstep::report
