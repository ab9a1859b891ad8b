// Checks that end the program where it went on before: `if not token: print("…"); sys.exit(1)`. A refusal as `raise` is
// one, but nothing of the program catches it.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk for each function that was there and ends the program under new conditions, itself or by a new function
/// that it newly calls; at most three.
void add_new_program_exits(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
