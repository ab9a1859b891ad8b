// The settled value flow -> call sites of the Program, and what expressions hold.
#pragma once

#include "program/flow/solver.h"
#include "program/index.h"

namespace lockstep::program::flow {

/// Appends the call sites of all functions to `calls` and `functions`, in the order of functions and source. Names of
/// external targets are kept in `index`.
void add_call_sites(const Solver& solver, Program::Index& index, Table<FunctionId, Function>& functions,
                    Table<CallId, CallSite>& calls, std::size_t jobs);

/// Fills the index behind Program::can_follow. `index` must know the calls of nodes.
void add_caller_choices(const Solver& solver, Program::Index& index, const Table<CallId, CallSite>& calls);

/// Fills the index behind Program::instance_classes.
void add_instances(const Solver& solver, Program::Index& index);

}  // namespace lockstep::program::flow
