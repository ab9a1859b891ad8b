// New functions of one caller, of which one makes ready and the other does the work:
//   todo = collect(model)        # new, long
//   start(todo)                  # new, short: gathers
#pragma once

#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// A new function that surely calls what was there before and exchanges data comes before heavier new functions that
/// communicate not at all and whose result it is given.
void weigh_working(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
