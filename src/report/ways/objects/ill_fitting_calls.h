// Calls that may enter several functions, and those of these that they cannot enter: Python would refuse the arguments.
// Of a call that names what it enters WayChecks says whether it fits.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "program/program.h"

namespace lockstep::report {

/// Whether the call names a class whose constructor does not take its arguments: it raises an error and makes nothing.
bool makes_nothing(const program::Program& program, const program::CallSite& site);

class IllFittingCalls {
 public:
  explicit IllFittingCalls(const program::Program& program) : program_(program) {}

  /// Whether the call, of several functions that it may enter, cannot be the one of `target`: arguments are missing or
  /// too many, or `**options` stands for a local dict that is only given other names. False where no other function
  /// would take the arguments: then the call is not understood. And whether `target` stands in front of what the call
  /// names: `f` of `f = getattr(x, name)` before `setattr(x, name, target)`.
  bool contains(program::CallId call, program::FunctionId target);

 private:
  [[nodiscard]] bool refuses(program::CallId call, program::FunctionId target);

  const program::Program& program_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> known_;  ///< By call and function.
};

}  // namespace lockstep::report
