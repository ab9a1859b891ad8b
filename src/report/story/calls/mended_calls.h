// Calls that failed before the change, for a keyword that the function which they surely enter did not take, and that
// fit what it takes now:
//   def scale(x, by=1): …         # new: `by`
//   scale(x, by=2)                # as it was: it raised TypeError
#pragma once

#include <string>
#include <vector>

#include "report/inputs.h"

namespace lockstep::report {

/// One marked sentence for each changed function outside tests that such calls outside tests enter: calls that the
/// change leaves as they are, in a function that both sides have.
std::vector<std::string> mended_calls(const DocumentInputs& inputs);

}  // namespace lockstep::report
