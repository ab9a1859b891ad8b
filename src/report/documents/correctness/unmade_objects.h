// Data classes whose `__post_init__` a change edits, and of which no call outside tests makes an object: what stands
// there may run in none of the repository's own runs.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each such class that code outside tests only hands on to calls. None where it is named in any other
/// way (an element of a table, an annotation aside), where an heir of it is, or where nothing names it.
void add_unmade_objects(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
