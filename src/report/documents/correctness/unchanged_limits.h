// Limits that a change alters in one comparison, and that another one of the same function keeps:
//   assert len(units) <= 2
//   if len(units) > 1:            # was > 2
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each comparison of a changed step whose number alone is another now, where an unchanged step of the
/// function compares the same expression with the old number.
void add_unchanged_limits(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
