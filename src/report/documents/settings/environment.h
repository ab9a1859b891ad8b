// Environment variables that a change begins to read: they switch things as settings do, and no parser lists them.
#pragma once

#include <vector>

#include "report/documents/risks.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Adds a risk for each of the first environment variables that changed lines outside tests read and the changed
/// functions did not read before: who reads it, what counts where it is not set, and whether other code names it already.
void add_environment(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
