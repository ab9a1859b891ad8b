// The loop in which steps run -> the functions that it calls, directly or not. A function that both the loop and code
// around it call, to save a checkpoint say, is told as a part of the loop.
#pragma once

#include <vector>

#include "program/program.h"
#include "program/queries.h"

namespace lockstep::report {

class TrainingLoop {
 public:
  /// `step_path`: the steps, at distance 0, and what they call; null where it is not known.
  TrainingLoop(const program::Program& program, const std::vector<program::Reached>* step_path);

  /// Whether the call stands in a training loop.
  [[nodiscard]] bool holds(program::CallId call) const { return is_call_in_[call.index()]; }
  /// Whether the call enters a function of the loop from code that is none.
  [[nodiscard]] bool is_entered_from_outside(program::CallId call, program::FunctionId callee) const {
    return is_in_[callee.index()] && !is_call_in_[call.index()] && !is_in_[program_.calls()[call].caller.index()];
  }

 private:
  void enter(program::CallId call);

  const program::Program& program_;
  std::vector<bool> is_in_;       ///< By function.
  std::vector<bool> is_call_in_;  ///< By call: it stands in the loop itself.
  std::vector<program::FunctionId> pending_;
};

}  // namespace lockstep::report
