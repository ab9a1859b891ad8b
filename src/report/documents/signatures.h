// What the change of a signature asks of those who call it.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk for all parameters of the function that come, go or differ; none where none does.
void add_signature(const DocumentInputs& inputs, const Actor& actor, std::vector<Risk>& risks);

}  // namespace lockstep::report
