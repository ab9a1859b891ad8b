// What a change costs where time matters: collectives, waits of the host and allocations that it adds to functions of
// the training step. What other lines of the change take away from there is moved, not new.
#pragma once

#include <string>
#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// Adds one risk for each collective, one for all waits and one for all allocations; what was looked for, where there
/// is none.
void add_costs(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
