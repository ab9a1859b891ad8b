// A call of a new function that stands where a whole branch stood which the function has now:
//   if lib is not None: lib.gemm(a, out=o)     # both sides of it in `gemm_into` now
//   else: torch.matmul(a, out=o)
//   ->  gemm_into(o, a)
// is a call in place of all of it, not of the one statement that looks most like it.
#pragma once

#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Parts such pairs of steps: the old one is told with those that the function took over, the new one is new. After
/// Step::elsewhere is filled.
void part_handed_pairs(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
