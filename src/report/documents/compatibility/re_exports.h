// Names that a module gives though they are defined elsewhere, or that it lists in `__all__`: which of them a change
// takes away. Whoever imports them from there breaks, though nothing is gone from where they are defined.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// Adds one risk for names that modules outside tests, examples and tools no longer bind, and one for those that are
/// still there but not in `__all__` any more. Names whose definition is gone are told as removed elsewhere.
void add_re_exports(const DocumentInputs& inputs, std::vector<Risk>& risks);

}  // namespace lockstep::report
