// What a training step runs, held apart from what it runs where it makes objects: code that only constructors of
// modules lead to runs when the model is built. What modules call only where they do not train (`not self.training`) is
// no part of it. Of model providers and functions that set up only the names tell, so
// code behind them is held apart from both.
#pragma once

#include <vector>

#include "program/program.h"
#include "program/queries.h"

namespace lockstep::report {

enum class StepPlace : std::uint8_t {
  kNone,   ///< No training step leads there.
  kBuild,  ///< Only through constructors of what a model is made of.
  kSetUp,  ///< Only through these and functions whose names say that they build or set up.
  kStep,
};

class StepWalk {
 public:
  /// `step_path`: what the steps of the program lead to by any calls, with the steps themselves at distance 0.
  StepWalk(const program::Program& program, const std::vector<program::Reached>& step_path);
  [[nodiscard]] StepPlace place_of(program::FunctionId function) const { return places_[function.index()]; }

 private:
  std::vector<StepPlace> places_;  ///< By function.
};

}  // namespace lockstep::report
