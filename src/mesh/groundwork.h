// What the mesh analysis asks of every function's own code, whatever it calls. Needs no calls, so that it can be worked
// out beside them.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace lockstep::mesh {

/// Of the functions that return a value: what they read. Names are views into the sources.
struct Groundwork {
  std::unordered_map<std::string_view, std::vector<program::FunctionId>> readers;  ///< By attribute; ascending.
  std::vector<program::FunctionId> set_makers;  ///< Those that write a set, whose order differs; ascending.
};

/// True if a `return` with a value stands in the function; lambdas always return one.
bool returns_value(const program::Function& function);

/// Looks through all functions of a program, whose calls need not be known yet.
Groundwork lay_groundwork(const program::Program& program);

}  // namespace lockstep::mesh
