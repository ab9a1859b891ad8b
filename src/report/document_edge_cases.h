// Edge cases that a change's new steps handle, and values that may be none: what happens when, asked where the code
// does not say.
#pragma once

#include <vector>

#include "report/document_risks.h"

namespace lockstep::report {

/// Divisions by variables, first elements and missing keys in new steps: asked, since values are not known. At most
/// three.
void add_edge_cases(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
