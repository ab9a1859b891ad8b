// Calls that a new function makes together in place of another one, and that unchanged code still makes together
// itself:
//   def prepare(self): self.zero(); self.stage()      # new; `train` did both itself
//   def train_step(self): …; self.zero(); self.stage()  # stays
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each new function that makes two or more calls of functions of the repository which another one makes
/// no longer, where unchanged functions outside tests call all of these, too. At most two; none where more than a few
/// do: then they are an idiom.
void add_repeated_calls(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
