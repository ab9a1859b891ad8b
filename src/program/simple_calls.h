// Call nodes -> call sites, by names alone: imports, definitions, `self.method`, constructors. Value flow replaces this.
#pragma once

#include <vector>

#include "program/index.h"
#include "program/program.h"

namespace lockstep::program {

/// `call_nodes` by function. Appends call sites to `calls` and to their callers.
void add_simple_calls(const Program& program, Program::Index& index,
                      const std::vector<std::vector<const python::Call*>>& call_nodes,
                      Table<FunctionId, Function>& functions, Table<CallId, CallSite>& calls);

}  // namespace lockstep::program
