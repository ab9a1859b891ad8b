// Arguments that a call gives newly, from a setting whose default is what the callee took without them: runs that do
// not set it get what they had.
//   alloc = Pool(name)                              # def __init__(self, name, persist=False)
//   alloc = Pool(name, persist=config.persist)      # persist: bool = False
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// An item on compatibility for each such argument of a changed call outside tests, by keyword. None where the callee
/// is not known for sure, where code sets the setting to something else, or where its default is not known.
void add_default_arguments(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
