// Tests hand functions to helpers that call them: `run_on_all_ranks(worker, 4)`.
#pragma once

#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// The calls that give `given` by its name to a function that calls what it is given for that parameter. None for
/// methods.
std::vector<program::CallId> calls_giving(const program::Program& program, program::FunctionId given);

}  // namespace lockstep::report
