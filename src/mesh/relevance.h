// Which functions are worth running: those that may communicate, and those that may bring something back that differs
// between ranks or is a process group. Works on the call graph and on names alone, before anything is interpreted.
#pragma once

#include <vector>

#include "mesh/interpreter.h"
#include "program/program.h"

namespace lockstep::mesh {

/// True if a name stands for a rank, a process group, a mesh or a role.
bool names_something(const NameFacts& facts);

/// Functions that issue a collective themselves, in the order of the program; by function in `issues`.
std::vector<program::FunctionId> find_issuing(const program::Program& program, std::vector<bool>& issues);

/// Functions that issue a collective or may call one that does, nearest first; by function in `communicates`.
std::vector<program::FunctionId> find_communicating(const program::Program& program, std::vector<bool>& communicates);

/// By function: it has a `return` with a value, and asks for a rank, a group or an attribute that may hold one, or
/// calls a function that does. Others give nothing that their arguments did not bring. `groundwork` may be null.
std::vector<bool> find_bringing_back(Interpreter& interpreter, std::size_t jobs, const Groundwork* groundwork);

}  // namespace lockstep::mesh
