// A number in the code that becomes a value which is worked out: `tokens // 128` as `tokens // self.chunk_size`. What
// the function reckons is another thing for all whose value is not that number.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Functions in which a step does so weigh more.
void weigh_replaced_numbers(std::vector<Actor>& actors);

}  // namespace lockstep::report
