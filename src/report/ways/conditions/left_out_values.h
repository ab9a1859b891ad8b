// Changed code that runs only where a parameter is None or false -> the calls that leave it out, and those that give it
// a value of their own:
//   def loss(hidden, labels=None):
//       if labels is None: labels = roll(…)     # new
//   model(tokens)                                # leaves it out, through whatever hands `labels` on
#pragma once

#include <string_view>
#include <vector>

#include "program/program.h"
#include "report/ways/conditions/passed_values.h"

namespace lockstep::report {

/// The parameter of the function that all of these places ask to be None or false; empty where there is none. A place
/// under a local flag that is only set where the parameter is so asks for it, too.
std::string_view parameter_left_out_for(const program::Program& program, program::FunctionId function,
                                        const std::vector<Span>& places);

struct LeavingCalls {
  /// Calls outside tests that give it nothing, where its default is None, or None itself; by their places.
  std::vector<program::CallId> leaving;
  CallsInto leaving_into;  ///< The same, with what they enter.
  /// Calls that give it something else than a parameter of their own function: mostly a value.
  CallsInto giving;
  /// Calls of which it does not show what they give.
  CallsInto unshown;
};

/// Back through the functions that hand the parameter on. Bounded.
LeavingCalls calls_leaving_out(const program::Program& program, program::FunctionId function,
                               std::string_view parameter);

}  // namespace lockstep::report
