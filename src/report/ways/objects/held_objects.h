// Calls of a method on what an attribute of `self` holds: where the attribute is given objects of that method's class,
// if all such places stand under conditions.
//   def forward(self, x):
//       if InferenceMode.is_active(): self.dispatcher = self._inference_dispatcher
//       return self.dispatcher.dispatch(x)
#pragma once

#include <vector>

#include "program/program.h"
#include "report/source/code.h"

namespace lockstep::report {

/// One assignment that gives the attribute such an object, and what it stands under.
struct Holding {
  program::FunctionId function;
  std::vector<Guard> guards;
};

/// Of a call `self.x.f(…)` that enters `callee`: the places outside tests where `self.x` is given an object of whose
/// class `callee` is the method. None where one of them stands under no condition, or where it is not known what some
/// place gives it.
std::vector<Holding> holdings_of_receiver(const program::Program& program, const program::CallSite& site,
                                          program::FunctionId callee);

/// Whether all calls of the method outside tests are made on attributes that hold objects of its class only where a run
/// generates or serves.
bool is_held_only_in_inference(const program::Program& program, program::FunctionId method);

}  // namespace lockstep::report
