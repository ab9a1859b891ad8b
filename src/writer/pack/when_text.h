// The conditions around a place, as packs and tools tell them.
#pragma once

#include <string>

#include "program/program.h"

namespace lockstep::writer {

/// "`x` is set and `y` is not `None`", marked text: the innermost conditions around a place in a function; empty where
/// there are none.
std::string conditions_text(const program::Program& program, program::FunctionId function, Span place);

/// "  (when `x` is set and `y` is not `None`)": the innermost conditions around a place in a function; empty where
/// there are none.
std::string when_text(const program::Program& program, program::FunctionId function, Span place);

}  // namespace lockstep::writer
