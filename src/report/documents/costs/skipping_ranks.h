// A new call that comes to a collective and stands under `if parts:`, in a function that goes on to another collective
// where `parts` is empty:
//   grads = self.get_grads() if params else []
//   norm = reduce_norm(grads)              # all ranks
//   if clip > 0.0 and params:
//       self.reduce_norms_by_group()       # those that hold parameters
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// Asks whether all ranks of the group hold something. At most one question.
void add_skipping_ranks(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
