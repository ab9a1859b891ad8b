// Edge cases that a change's new steps handle, and divisors that may be zero: what happens when, asked where the code
// does not say.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// New branches that leave, new asserts, and new divisions by variables, which are asked about since values are not
/// known. At most three.
void add_edge_cases(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
