// What the mesh analysis asks of every function's own code, whatever it calls. Needs no calls, so that it can be worked
// out beside them.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace lockstep::mesh {

/// Names are views into the sources.
struct Groundwork {
  std::vector<std::int8_t> returns_value;  ///< By function: 1 if it does.
  /// Functions that return a value, by the attributes that they read; ascending.
  std::unordered_map<std::string_view, std::vector<program::FunctionId>> readers;
  std::vector<program::FunctionId> set_makers;  ///< Those that write a set, whose order differs; ascending.
};

/// True if a `return` with a value stands in the function; lambdas always return one.
bool returns_value(const program::Function& function);

/// The name by which a call calls: "f" of `f()` and of `x.f()`; empty for others.
std::string_view called_name(const python::Call& call);

/// Looks through all functions of a program, whose calls need not be known yet.
Groundwork lay_groundwork(const program::Program& program);

}  // namespace lockstep::mesh
