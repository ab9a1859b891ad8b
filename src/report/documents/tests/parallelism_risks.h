// Which kinds of parallelism and precision a change touches, by the words of its code, and which of them the tests that
// reach it mention: what no test mentions, alone or together with another one, is asked.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One row for what no test mentions, one for what none mentions together: the code's own words decide what to ask.
void add_parallelism(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
