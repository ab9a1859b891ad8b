// Early returns that stand before all that a change touches in a function, and branches of the old version around all
// of it: a run that takes one of them, or not one of these, does not get to it, whichever way it came.
#pragma once

#include "report/inputs.h"
#include "report/story/story.h"
#include "report/ways/way_checks.h"

namespace lockstep::report {

/// Sets `exits` of a way to `target`.
void find_exits(const DocumentInputs& inputs, program::FunctionId target, const Touched& touched, EntryPath& path);

}  // namespace lockstep::report
