// What must hold for a part of a function to run, from the branches around it and the early exits before it.
#pragma once

#include <string>

#include "python/facts.h"

namespace lockstep::rules {

/// "when `self.training`", "unless `x is None`": the nearest condition under which `span`, which stands in the own body
/// of `function`, runs; of an `elif` or its `else` with the arms before it. Empty where it runs whenever the function does: loops, exceptions, and checks that raise apart.
std::string condition_above(const python::FileFacts& facts, const python::Node& function, Span span);

}  // namespace lockstep::rules
