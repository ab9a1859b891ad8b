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

/// The conditions under which the object that a method is called on is of the class of `callee`, where its local is
/// given one of several: in branches, or by a function of the same module that returns one or the other. None where
/// others may be of that class, too.
///   engine = make(args)          # `if args.kind == "fast": return Fast()`, and below `return Plain()`
///   engine.run()
std::vector<Guard> guards_of_receiver(const program::Program& program, const program::CallSite& site,
                                      program::FunctionId callee);

/// Whether the object that a method is called on is of the class of `callee` only where a call brings it that raises an
/// error: its constructor does not take the arguments.
bool is_receiver_refused(const program::Program& program, const program::CallSite& site, program::FunctionId callee);

/// The conditions around the only assignment that gives the callee's name `callee`; none where others may, or where
/// what it is given elsewhere is not known.
std::vector<Guard> guards_of_choice(const program::Program& program, const program::CallSite& site,
                                    program::FunctionId callee);

}  // namespace lockstep::report
