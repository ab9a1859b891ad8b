// Small functions that conditions call: what they return stands for the call.
//   def uses_graph(self): return self.config.impl == "graph" and self.training
#pragma once

#include "program/program.h"

namespace lockstep::report {

/// What the only function that the call surely enters returns, where that is its only way out; null for others.
const python::Expr* returned_condition(const program::Program& program, const python::Call& call);

}  // namespace lockstep::report
