// Collectives that a function loses and still comes to: through a helper that the change brings, say.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Sets Step::is_still_issued.
void match_collectives(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
