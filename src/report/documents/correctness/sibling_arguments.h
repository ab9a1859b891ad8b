// Calls that give a parameter's sibling, but not the new parameter which the change gives beside it elsewhere.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each new parameter with a default that the change gives beside another one (`remat_group=a,
/// replica_group=b`) in several calls, where other calls of the function that give the other one do not give it.
void add_sibling_arguments(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
