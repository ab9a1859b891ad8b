// A call of library code that was there and gets `True` or `False` for one keyword more: a line that switches what the
// library does, and often the one that mends what a change is about (`named_parameters(remove_duplicate=False)`).
#pragma once

#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Lets functions with such a call be told, two of them at most. Calls that enter code of the repository, that tell
/// people something, and keywords of how files are written say nothing.
void weigh_library_switches(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
