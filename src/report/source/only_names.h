// Calls on values of unknown class that can mean one method alone: no other function has its name.
#pragma once

#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// The method of that name where no other function has it; none for names of Python's own (`__init__`) and where
/// there is none.
program::FunctionId only_method_named(const program::Program& program, std::string_view name);

/// The calls by the name of the method on values of unknown class, in the order of the program; empty where the name is
/// that of another function, too.
std::vector<program::CallId> calls_by_only_name(const program::Program& program, program::FunctionId method);

}  // namespace lockstep::report
