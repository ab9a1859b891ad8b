// Arguments that a changed call gives what it newly enters, and that this refuses where they are set:
//   self.head = FusedHead(…, shared=self.share_embeddings)      # new
//   class FusedHead: def __init__(…, shared=False): if shared: raise ValueError(…)
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk for each function that a changed call outside tests newly enters and that raises, first of all and under no
/// other condition, for a parameter that is set (`if shared: raise`), where the call gives it an attribute or settings:
/// where these are set, the call fails. At most two. Not where what stands around the call keeps the value from being
/// set.
void add_refused_arguments(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
