// What a changed step calls, or makes an object of, in the place of what it called before, where the change leaves both
// as they are -> how they differ, in words. The diff shows two names; what a run does differently stands elsewhere.
#pragma once

#include <vector>

#include "report/story/calls/followed.h"

namespace lockstep::report {

/// "`A.free` (`a.py:3`) drops `x`; `B.free` (`b.py:9`), which `Pool.free` calls now, does not." of the
/// changed steps of a function; of classes, of the methods that are called on what the step makes.
std::vector<FollowedArgument> followed_callees(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
