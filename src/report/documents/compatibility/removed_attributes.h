// Public attributes of objects that a change takes away: `self.x = …` is gone, and nothing gives an `x` any more.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk for all of them, with the code of the repository that still reads them by their names. Of classes that are
/// still there; silent where a class above or below, a library or a computed name may give the attribute.
void add_removed_attributes(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
