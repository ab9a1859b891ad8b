// What new configurations and scripts say at their head of the change that brings them: "Regression guard for the fixes
// in …/pull/5748: …".
#pragma once

#include <vector>

#include "report/author/why.h"

namespace lockstep::report {

/// The comment block that opens a new file which is neither Python nor prose, from the sentence on that names the
/// change's own number (of the pull request, or of its title, "(#5748)"), in at most 70 words; of one file. Empty where
/// there is none.
std::vector<Saying> reasons_in_configuration_heads(const DocumentInputs& inputs);

}  // namespace lockstep::report
