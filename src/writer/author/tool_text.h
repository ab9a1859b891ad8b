// What several tools of a model say alike.
#pragma once

#include <string>

#include "program/program.h"

namespace lockstep::writer {

/// "  (when `x` is set and `y` is not `None`)": the innermost conditions around a place in a function; empty where
/// there are none.
std::string when_text(const program::Program& program, program::FunctionId function, Span place);

}  // namespace lockstep::writer
