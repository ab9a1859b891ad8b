// Assertions on settings that scripts ask when they start, outside functions: those that a change adds refuse runs.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// Assertions on settings that scripts ask anew.
void add_checks_of_scripts(const DocumentInputs& inputs, std::vector<Risk>& risks);

}  // namespace lockstep::report
