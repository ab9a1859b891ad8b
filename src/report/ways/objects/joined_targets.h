// A call that may enter several functions, of which each goes on to the same one: whichever it is, the way holds.
//   self.layer(x)              # A.forward or B.forward
//   class A: def forward(self, x): return shared(x)
//   class B: def forward(self, x): return shared(x)
#pragma once

#include <cstddef>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Whether all that the call of `frames[at]` may enter surely calls, under no condition, a function that stands behind
/// the next frame, itself or through others. Only where all is known that it may enter.
bool joins_behind(const program::Program& program, const std::vector<PathFrame>& frames, std::size_t at);

}  // namespace lockstep::report
