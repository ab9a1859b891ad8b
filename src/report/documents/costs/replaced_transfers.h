// A new function that communicates in place of what its callers did themselves: `batch_isend_irecv` for their `send`
// and `recv`, one `all_gather_into_tensor` for their `all_gather`.
#pragma once

#include <string>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// "`recv` and `send` of the 4 functions that call it", of a collective that a new function issues, where each of its
/// callers outside tests lost operations over a group that reads the same (point-to-point ones for point-to-point
/// ones), and the new one is issued nowhere else for them. Empty where that is not so of all callers.
std::string transfers_of_callers(const DocumentInputs& inputs, const Story& story, const Actor& added,
                                 const mesh::CollectiveSite& site);

}  // namespace lockstep::report
