// Errors of a whole class (`except RuntimeError`) that are newly caught around calls which let them through before: of
// the same function, or of the one in whose place it is called or handed on now. What was an error of another kind is
// taken for the one that was meant.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// At most two risks: with the call, and what is done in place of it. Left out: handlers that raise, those that only
/// tell people or return (what is told of them in "What" says it), and calls that another handler was around.
void add_broad_catches(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
