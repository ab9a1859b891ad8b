// Errors that a function caught, that the change lets pass, and that what it calls raises still.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each handler that is gone around a call which stays, where the function that the call surely enters,
/// or one that this surely enters, has a `raise` of what it took. At most two.
void add_uncaught_errors(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
