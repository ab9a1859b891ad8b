// New alternatives of a chain (story/steps/choice_chains.h) that go on where those whose place they take refuse to:
//   if FAST: y = fast(x)                    # new
//   else: assert not deterministic; y = slow(x)
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each thing that an alternative insists on and a new one, taken before it, does not ask for. At most
/// two.
void add_unasked_alternatives(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
