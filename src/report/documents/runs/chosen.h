// What turns changed code on, in words: the settings under which objects of its class are made.
#pragma once

#include <cstddef>
#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// Of the told way's class, and of another central entity's: at most two sentences; empty where nothing is known.
std::string chosen_text(const DocumentInputs& inputs, const Story& story, std::size_t told);

}  // namespace lockstep::report
