// Values that are read after their memory was given back in the same function:
//   out = self.checkpoint_of_norm.checkpoint(self.norm, x)   # keeps what it returns, too
//   out, residual = out
//   self.checkpoint_of_norm.discard_output(y)                # resizes the storage of what was kept to 0
//   return self.add(y, residual)
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each such read that a change brings: where the read, what gives the value its name, or the call that
/// frees it is new. Freed is `x` by `x.untyped_storage().resize_(0)`, and what a method of an object returned and kept
/// by a call of another method of the same object that does this with what was kept. At most two.
void add_reads_after_release(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
