// Changes that are about what a function returns, and calls that throw it away: a run that gets there by such a call
// sees nothing of the change.
#pragma once

#include "program/program.h"
#include "report/ways/way_checks.h"

namespace lockstep::report {

/// Whether all that the change touches in `function` only makes what it returns.
bool is_about_result(const program::Program& program, const program::Program& before, program::FunctionId function,
                     const Touched& touched);

/// Whether the call is a statement of its own.
bool throws_result_away(const program::Program& program, program::CallId call);

}  // namespace lockstep::report
