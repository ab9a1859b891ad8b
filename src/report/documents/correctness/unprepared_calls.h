// Calls that the change newly prepares in one place, and that other places make in the same form as before.
//   model_chunk.zero_grad_buffer()       # new
//   disable_hooks(model)                 # as it was; elsewhere without the line above
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each call of a repository's function before which a changed function newly calls something, thrown
/// away or given back to the same name, on an argument of that call, where up to three unchanged calls outside tests
/// with arguments of the same form have no such call before them.
void add_unprepared_calls(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
