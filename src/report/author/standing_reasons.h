// Reasons that stood in the code before the change, for where its own words give none: quoted as what they are.
#pragma once

#include <vector>

#include "report/author/why.h"

namespace lockstep::report {

/// What the documentation of new bases of central classes says of reasons, where the change left it as it was.
std::vector<Saying> reasons_of_bases(const DocumentInputs& inputs, const Story& story);
/// The comment that stood before the change right above a step which it adds or edits, or above the branch that the
/// step begins, where it says plainly why: of the first such step, of central functions before others. Empty where the
/// change writes a comment of its own.
std::vector<Saying> reasons_above_changes(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
