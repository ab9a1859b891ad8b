// The calls of a function in the order in which a reader wants to see them: those near it first, tests last.
#pragma once

#include <vector>

#include "program/program.h"

namespace lockstep::writer {

/// All call sites that may enter `function`: outside tests before those in tests, each from the files that share the
/// most folders with its own to those that share none (an example that loads a checkpoint says less of the trainer's
/// `load_checkpoint` than the trainer does); else in the order of the program.
std::vector<program::CallId> calls_of(const program::Program& program, program::FunctionId function);

}  // namespace lockstep::writer
