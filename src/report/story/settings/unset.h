// Whether a change does anything for who does not know its new settings.
#pragma once

#include "report/story/story.h"

namespace lockstep::report {

/// True where everything that changes outside tests stands under new settings that are off unless somebody sets them:
/// each step that comes is in a branch that is not taken then, and nothing goes. False where that is not sure.
bool changes_nothing_unset(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
