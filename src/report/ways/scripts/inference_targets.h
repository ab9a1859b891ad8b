// Changed code that only inference runs, wherever it stands: its own conditions ask for it. Ways to it begin in what
// serves or generates, not in what trains and only calls the function that holds it.
#pragma once

#include <vector>

#include "program/program.h"
#include "text/source.h"

namespace lockstep::report {

/// Whether all `changed` places of the function stand under conditions that ask for inference; of a function that is
/// new (no places): whether it is a predicate that only holds then, or, beside calls of the base's method, has nothing
/// outside such a branch.
bool runs_only_in_inference(const program::Program& program, program::FunctionId target,
                            const std::vector<Span>& changed);

}  // namespace lockstep::report
