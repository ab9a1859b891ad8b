// A local that gets another value than before and goes on, as it did, to a function of the repository -> the few other
// functions that give that function a value of their own and stay as they were:
//   grad = widen(grad)          # was `grad = compute()`
//   param.reduce(grad)          # as it was; so does `Embedding.backward`, with what it had
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each such function of which up to three unchanged calls outside tests give the same parameter a value
/// that is worked out, too; at most two. Left out: functions that the change alters, and calls that it touches.
void add_other_givers(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
