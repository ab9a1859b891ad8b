// Collectives that a function issued in any case, and that a change puts under a condition:
//   if reusable: plan = cached
//   else: plan = wrapper.reduce_scatter(…)     # stood there alone
// No new collective; but from now on the ranks of the group have to answer the condition alike.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A sentence for each such collective, where all its conditions of before stand around it still, and the arm across
/// from it communicates not at all. Asks whether the ranks decide alike, unless settings alone decide. At most two.
void add_conditional_collectives(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
