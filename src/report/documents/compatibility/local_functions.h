// Functions that another one defines for itself: nobody outside can call them the old way.
#pragma once

#include "program/program.h"

namespace lockstep::report {

/// Whether a function holds `function` and only calls it by its name there: it is neither given back, nor handed on,
/// nor decorated. False for methods of classes that a function defines.
bool is_only_called_within(const program::Program& program, program::FunctionId function);

}  // namespace lockstep::report
