// Attributes that have to be turned on (switched_attributes.h) for what a change touches in a function to run: a run in
// which nothing does comes to the function, and not to what is new in it.
#pragma once

#include "report/inputs.h"
#include "report/story/story.h"
#include "report/ways/conditions/switched_attributes.h"
#include "report/ways/way_checks.h"

namespace lockstep::report {

/// What the change touches in a function of both versions; nothing of new ones.
Touched touched_by(const Actor& actor);

/// Sets `touched.switches`, without which nothing of it runs, and `touched.branch_switches`, without which no new
/// branch in it is taken, though something runs.
void find_switches(const DocumentInputs& inputs, const SwitchedAttributes& attributes, program::FunctionId target,
                   const Actor& actor, Touched& touched);

}  // namespace lockstep::report
