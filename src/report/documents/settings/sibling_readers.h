// A new setting that one method alone reads, while methods of that name in sibling classes do without it: who sets it
// may expect it to hold for objects of these, too.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// At most two questions. Asked where a class of the repository above all of them declares the method and holds the
/// configuration, where the setting's name has no word of the reading class that the others lack, and where no sibling
/// calls the reading method.
void add_sibling_readers(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
