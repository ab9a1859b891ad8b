// Calls over several lines: whoever sees one of these lines needs the others.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"

namespace lockstep::writer {

/// Of a function, all lines (from 0) of the longest calls that hold one of `lines`; calls that are longer than a screen
/// are left as they are.
std::vector<std::uint32_t> lines_of_calls(const program::Program& program, program::FunctionId function,
                                          const std::vector<std::uint32_t>& lines);

}  // namespace lockstep::writer
