// What is said of compatibility where the change breaks and bends nothing that others rely on.
#pragma once

#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// One sentence, without its full stop: the public names that come, and what is not known to change for others. For
/// changes in Python code.
std::string nothing_incompatible(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
