// Early returns that stand before all that a change touches in a function, and branches of the old version around all
// of it: a run that takes one of them, or not one of these, does not get to it, whichever way it came.
#pragma once

#include "report/inputs.h"
#include "report/story/story.h"
#include "report/ways/way_checks.h"

namespace lockstep::report {

/// Sets `exits` of a way to `target`.
void find_exits(const DocumentInputs& inputs, program::FunctionId target, const Touched& touched, EntryPath& path);

/// The branches in which all that changes in the target stands, where they ask for a parameter that it did not have
/// before: what changes runs for nobody who does not give it. Empty for others.
std::vector<Guard> asked_of_new_parameters(const DocumentInputs& inputs, program::FunctionId target,
                                           const Touched& touched);

}  // namespace lockstep::report
