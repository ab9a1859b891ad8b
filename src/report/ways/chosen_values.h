// Calls of a local that holds one function or another: under which conditions it got the one that is entered.
//   if layer_wise: compute = LayerWise.compute
//   else: compute = None
//   …
//   compute(model)
#pragma once

#include <vector>

#include "program/program.h"
#include "report/source/code.h"

namespace lockstep::report {

/// The conditions around the only assignment that gives the callee's name `callee`; none where others may, or where
/// what it is given elsewhere is not known.
std::vector<Guard> guards_of_choice(const program::Program& program, const program::CallSite& site,
                                    program::FunctionId callee);

}  // namespace lockstep::report
