// A statement that a change edits, puts under a condition or takes out -> the places where the same statement stands
// and stays as it is: siblings that may have been left behind.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One question for each statement, or condition of a branch, that the change gives another form, and that code outside
/// tests still has word for word on lines that the change leaves alone; so for one that stands under a new condition,
/// and for one that goes, where a function of the same name has it. Only what is long enough to be no idiom, stands in
/// few places, and is not merely renamed.
void add_unchanged_twins(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
