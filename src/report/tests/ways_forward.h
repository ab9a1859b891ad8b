// Steps on the ways from tests to a function, walked forwards with what their calls pass: `layer(x)` leaves out the
// `context` without which the layer never calls the function, so the test of that call does not come there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "program/program.h"
#include "report/ways/conditions/path_constants.h"

namespace lockstep::report {

/// One step of a way; without a call, or by one that does not name what it enters, nothing is known of what it passes.
struct StepForward {
  program::FunctionId from;
  program::CallId call;  ///< None: by the test runner, or by a function that calls what it is given.
  program::FunctionId to;
};

class WaysForward {
 public:
  /// `constants` must outlive it. `steps`: all those by which ways lead to `target`.
  WaysForward(const program::Program& program, const PathConstants& constants, program::FunctionId target,
              const std::vector<StepForward>& steps);

  /// Whether one of the ways that begin in `code` may come to the target; true where that is too much to walk.
  bool may_arrive(const std::vector<program::FunctionId>& code);

 private:
  /// A function with what is known in it.
  struct State {
    program::FunctionId function;
    KnownValues known;
    std::vector<std::uint32_t> next;  ///< States.
    bool is_walked = false;           ///< `next` is known.
  };
  std::uint32_t state_of(program::FunctionId function, KnownValues known);
  void walk_on(std::uint32_t state);

  const program::Program& program_;
  const PathConstants& constants_;
  const program::FunctionId target_;
  std::unordered_map<std::uint32_t, std::vector<StepForward>> steps_;  ///< By the function that they lead from.
  std::vector<State> states_;
  std::map<std::string, std::uint32_t> known_;  ///< States by what makes them one.
};

}  // namespace lockstep::report
