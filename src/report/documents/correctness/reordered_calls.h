// Calls that change places where one sets what the other reads:
//   def post_backward(self):
//     self.reduce()       # reads self.shards
//     self.reshard()      # sets self.shards; stood before it
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each two calls in one block of a function, both there before and after the change, that are made in
/// the other order now, where one surely enters code that assigns an attribute of an object by name (`self.x`,
/// `self.part.x`), and the other one code that reads it and does not assign it; the same where the function assigns it
/// itself. At most two. Calls are followed through methods of the same object, a few deep.
void add_reordered_calls(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
