// Who reads a variable of a module.
#pragma once

#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// The functions that read the variable `name` of `module`, through imports and re-exports too, in the order of path
/// and line; the module's body for code at its top level. Tests only where nothing else reads it. Reads of a name that
/// may stand for something else are left out.
std::vector<program::FunctionId> readers_of_variable(const program::Program& program, program::ModuleId module,
                                                     std::string_view name);

}  // namespace lockstep::report
