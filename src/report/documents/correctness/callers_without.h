// Callers that a change passes by: it gives a function a parameter that has a default, and gives it where it calls the
// function, while others call it as before and get the default.
//   def work(x, packed=None): …
//   self.work(x, packed=packed)      # in forward(), as the change has it
//   self.work(x)                     # in replay(), as ever
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each such parameter with at most four unchanged calls outside tests that surely enter the function or
/// one that overrides it, and give nothing; at most two. Left out: parameters that are only given constants, or
/// settings that are off by default; callers that override the function themselves, and constructors of its class;
/// places of which another question tells.
void add_callers_without(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
