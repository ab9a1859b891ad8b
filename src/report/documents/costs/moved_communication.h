// Communication that a change moves: what came to it before does so no longer, or only under a condition.
#pragma once

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Whether a function of the change called what came to `callee` (one of the new version) within a few calls, and that
/// call is gone now, or stands under a condition that is new or another one.
bool leaves_to_others(const DocumentInputs& inputs, const Story& story, program::FunctionId callee);

/// Whether that is so of all that communicates below the function, one of the new version that issues nothing itself;
/// what the change brings on the way is looked into.
bool takes_communication_over(const DocumentInputs& inputs, const Story& story, program::FunctionId function);

/// Whether the functions of the change make more calls that communicate than they did: of any, for another one may have
/// done the same. Calls of functions that come or go with the change are none: what these do counts itself.
bool communicates_more(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
