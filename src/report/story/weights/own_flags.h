// How much functions do with the names that a change brings: its parameters, attributes and fields.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// What decides by such a name what it does carries more of the change; what only hands it on, or asks for it where it
/// asked for something else before doing the same, carries less.
void weigh_own_flags(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
