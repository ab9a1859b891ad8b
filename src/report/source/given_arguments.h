// What a call gives a parameter of a function: `self`, which is mostly not written, is counted off where Python fills
// it in.
#pragma once

#include <cstddef>
#include <string_view>

#include "program/program.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

/// How many of the first parameters of `callee` the call fills without writing them: one for `self` and `cls`; none for
/// functions, static methods, and methods that are called on their class (`Layer.forward(layer, x)`).
std::size_t unwritten_parameters(const program::Program& program, const program::CallSite& site,
                                 program::FunctionId callee);

/// Whether `callee` gets the arguments of the call as they are written: not where something else hands them on
/// (`partial(f, 1)`, `checkpoint(f, x)`).
bool gets_as_written(const program::Program& program, const program::CallSite& site, program::FunctionId callee);

/// What the call gives the parameter of `callee`; unknown where it does not show.
rules::Given given_by(const program::Program& program, const program::CallSite& site, program::FunctionId callee,
                      std::string_view parameter);

}  // namespace lockstep::report
