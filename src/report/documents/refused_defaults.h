// New checks of configurations, held against what is declared: which of what runs give is refused by them where all
// else stays at its default.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk for each new check that refuses one part of its condition wherever all else
/// that it asks for is at its default, with the scripts and configurations that are refused by what they give; also
/// where only such files are known. At most two; none for what the change declares itself, and where code may have
/// given a setting another value before the check.
void add_refused_defaults(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
