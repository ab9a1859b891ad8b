// A parameter that all that changes in a function asks to be None: the calls that leave it out.
#pragma once

#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// "What changes there runs only without `labels`: calls that leave it out, or give `None`, stand in `f` (`a.py:3`)."
/// Those beside training and in examples come last. Empty where the way has no such parameter.
std::string left_out_text(const program::Program& program, const EntryPath& path);

}  // namespace lockstep::report
