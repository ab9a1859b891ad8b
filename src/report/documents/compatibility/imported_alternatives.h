// New alternatives that are taken wherever a library can be imported: installing it changes what runs do that set
// nothing.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// "Where `x.f` can be imported, `g` calls `f` in place of others, with no setting given" of new alternatives of a
/// chain (story/steps/choice_chains.h) that are asked before others, whose condition is the flag of an import alone,
/// where the chain stands under no condition.
void add_imported_alternatives(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
