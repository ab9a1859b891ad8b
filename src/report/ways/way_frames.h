// One call of a way that is told: the conditions around it, which of them are off unless somebody sets something, and
// how sure it is.
#pragma once

#include "program/program.h"
#include "report/story/story.h"
#include "report/ways/conditions/call_guards.h"

namespace lockstep::report {

/// The frame of the function that makes the call, which leads on to `callee`.
PathFrame frame_of(const program::Program& program, CallGuards& call_guards, program::CallId call,
                   program::FunctionId callee);

}  // namespace lockstep::report
