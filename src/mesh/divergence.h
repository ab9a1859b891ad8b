// Compares what ranks do: for each choice, loop and exit whose condition varies, whether all ranks of a group still
// issue the same collectives in the same order.
#pragma once

#include "mesh/interpreter.h"
#include "mesh/trace.h"

namespace lockstep::mesh {

/// True if the sequence holds an event, here or in a callee.
bool has_events(const Sequence& sequence);

/// Reports (Interpreter::report) what diverges in one function under one context.
void check_divergence(Interpreter& interpreter, FunctionResult& result);

}  // namespace lockstep::mesh
