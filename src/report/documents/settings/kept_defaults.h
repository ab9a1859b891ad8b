// Defaults that a change alters in one place, and that stay as they were where the same is declared again:
//   policy: Policy = Policy.BALANCED        # was Policy.FIRST
//   def start(self, policy=Policy.FIRST)    # stays
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each parameter or field that gets another default where parameters and fields of its name elsewhere,
/// outside tests, keep the old one. None for defaults of `None`, names of one word, and where more than a few keep it.
void add_kept_defaults(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
