// Variables of a module that a change leaves without a reader, or brings without one.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// "No Python code of the repository reads the new `_X`." and "… reads `_Y` (place) any more; what sets it stays.": of
/// variables at the top level of a module whose names stand nowhere but where they are set. Tests count as
/// readers. Of imports that a function of the change was the last to use: "What is imported as `math` (place) is used
/// there no longer." Empty where all are read.
std::vector<std::string> unread_variables(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
