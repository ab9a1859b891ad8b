// State that a function requires to be empty before it fills it, and that another one empties: what a caller of both
// leaves behind where it returns in between.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// At most two questions, on functions in which the change brings `assert not self.x` or `assert self.x is None`, and
/// that fill `self.x` afterwards, where another method alone empties it: code outside tests that gets to both, and
/// returns after the first and before the second under a condition.
void add_left_behind(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
