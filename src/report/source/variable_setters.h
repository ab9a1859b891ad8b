// Who gives a variable of a module a value after the module has: functions that declare it `global`.
#pragma once

#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// The functions of the module that set its variable `name` to something else than `None`, in the order of the code.
std::vector<program::FunctionId> setters_of_variable(const program::Program& program, program::ModuleId module,
                                                     std::string_view name);

}  // namespace lockstep::report
