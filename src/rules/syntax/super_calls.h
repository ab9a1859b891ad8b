// Calls of what a class inherits: `super().f(…)`.
#pragma once

#include "python/tree.h"

namespace lockstep::rules {

/// Whether the callee is a method of `super()`, with or without arguments.
bool is_method_of_super(const python::Expr* callee);

}  // namespace lockstep::rules
