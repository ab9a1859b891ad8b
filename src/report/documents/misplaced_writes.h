// Attributes that a change sets on `self` and that nothing reads there, while the class reads the name off a part of
// it:
//   self.request_id = -1                  # new; nobody reads it
//   if self.context.request_id != -1: …   # what the class asks everywhere
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each such attribute: newly set by a method, neither set nor declared by its class or one above or
/// below it before, read off `self` nowhere in these, and off any other object only where that is the part. At most
/// two.
void add_misplaced_writes(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
