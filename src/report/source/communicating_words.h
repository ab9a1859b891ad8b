// Functions whose code or documentation speaks of communication that no collective of torch.distributed shows: DTensor
// placements that change, libraries of expert parallelism. Nothing may be said of them that denies it.
#pragma once

#include "program/program.h"

namespace lockstep::report {

/// What of it does so; neither: nothing.
struct CommunicatingWords {
  const python::Call* call = nullptr;  ///< `x.redistribute(…)` in the function itself.
  program::FunctionId documented;      ///< A function below it, whose docstring speaks of communication.
  [[nodiscard]] bool found() const { return call != nullptr || documented.valid(); }
};
CommunicatingWords communicating_words(const program::Program& program, program::FunctionId function);

/// Whether the function calls a method that moves a DTensor between ranks (`redistribute`, `full_tensor`), or one of
/// the functions of the repository that it enters, two calls deep, says in its docstring that it communicates.
bool speaks_of_communication(const program::Program& program, program::FunctionId function);

}  // namespace lockstep::report
