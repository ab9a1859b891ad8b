// Code that a change no longer records in a CUDA graph, or no longer compiles: it is launched kernel by kernel then.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk for each function that no longer makes a call which records or compiles code, and of which no other changed
/// function makes it in its place.
void add_captured_code(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
