// A function that only moved to where others can use it, and those that came to use it: what they do differently is the
// change, not where its lines stand now.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Of a moved function that keeps its steps, the functions that name it now and did not before lead: they weigh as much
/// as it did, and it weighs less; what they had within them in its place, less still.
void weigh_shared_code(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
