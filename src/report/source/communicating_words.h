// Functions whose code or documentation speaks of communication that no collective of torch.distributed shows: DTensor
// placements that change, libraries of expert parallelism. Nothing may be said of them that denies it.
#pragma once

#include <functional>

#include "program/program.h"

namespace lockstep::report {

/// What of it does so; neither: nothing.
struct CommunicatingWords {
  const python::Call* call = nullptr;  ///< `x.redistribute(…)` in the function itself.
  program::FunctionId documented;      ///< A function below it, whose docstring speaks of communication.
};

/// Of the calls of the function that count: a method that moves a DTensor between ranks (`redistribute`,
/// `full_tensor`), or a function of the repository which says in its docstring that it communicates, entered by one of
/// them or by what that enters.
CommunicatingWords communicating_words(const program::Program& program, program::FunctionId function,
                                       const std::function<bool(const python::Call&)>& counts);

}  // namespace lockstep::report
