// Constants of a module whose value changes: what several changed functions do with it depends on that.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// A variable of a module, or of a class, that gets another value and that at least two of the changed functions read
/// weighs a little more than the heaviest of these.
void weigh_constants(std::vector<Actor>& actors);

}  // namespace lockstep::report
