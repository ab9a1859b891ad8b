// Whether a change has a run ask something new before it comes to a step of a function: in a decorator, in what it
// calls, in what leads there. Then fewer conditions around the step do not say that more runs come to it.
#pragma once

#include <cstddef>

#include "report/story/story.h"

namespace lockstep::report {

/// Of the after side's step `index`. The function's own branches and ways out are not looked at.
bool may_be_asked_before(const DocumentInputs& inputs, const Actor& actor, std::size_t index);

}  // namespace lockstep::report
