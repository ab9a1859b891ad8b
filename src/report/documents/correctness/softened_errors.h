// Errors that stopped a run where something was caught, or under a condition that is asked still, and that are gone:
// the run goes on with something else.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk for each handler (`except …:`) and each branch of an unchanged condition that raised before the change and
/// now goes on: what it does in place of that, for who asked for the other thing. At most three.
void add_softened_errors(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
