// The calls of a function in the order in which a reader wants to see them: sure ones and those near it first, tests
// last.
#pragma once

#include <vector>

#include "program/program.h"

namespace lockstep::writer {

/// All call sites that may enter `function`: outside tests before those in tests; of each those that surely enter it,
/// then those that name its parameters, then the others; and of these from the files that share the most folders with
/// its own to those that share none (an example that loads a checkpoint says less of the trainer's `load_checkpoint`
/// than the trainer does); else in the order of the program. With the calls on values of unknown class that can mean no
/// other method.
std::vector<program::CallId> calls_of(const program::Program& program, program::FunctionId function);

/// Whether a call that may enter several functions gives parameters of `function` by name, and no others: then it is
/// likelier the one.
bool names_parameters(const program::Program& program, const program::CallSite& site, program::FunctionId function);

}  // namespace lockstep::writer
