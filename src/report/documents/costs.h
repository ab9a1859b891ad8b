// What a change costs where time matters: collectives, waits of the host and allocations that it adds to functions of
// the training step. What other lines of the change take away from there is moved, not new.
#pragma once

#include <string>
#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// "A training loop leads there on the way told", or to the heaviest of what changed where not all ways told go through
/// one; empty where that one does not.
std::string loop_words(const DocumentInputs& inputs, const Story& story);

/// Adds one risk for each collective, one for all waits and one for all allocations; what was looked for, where there
/// is none.
void add_costs(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
