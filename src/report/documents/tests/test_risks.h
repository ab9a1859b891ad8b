// What tests leave open: functions that none of them reaches by the call graph, settings that none of them sets or
// names, stand-ins that take the place of the changed code.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

void add_tests(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
