// Changed code that runs only where a setting is on which nothing in the repository names but the read itself:
//   correct = bool(getattr(args, "correct_partial", False))      # no option, no field, no configuration has it
//   if correct: …
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk for each such setting: read by `getattr` with a default that is false, kept in a local of the function or
/// of the one around it or asked at once, and named in no other place of the Python code outside tests and in no
/// configuration or script.
void add_never_set(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
