// The settings that a change adds, as items of "what": their documentation, and what the change asks of them before a
// run starts.
#pragma once

#include <string>
#include <vector>

#include "report/author/why.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Whether the documentation of the setting is told with what the change brings.
bool is_documented_in_what(const program::Program& program, const Flag& flag, const OwnWords& words);

/// One item on each new setting with documentation or checks, one on all others, then the changed defaults; empty
/// where there are none.
std::vector<std::string> setting_items(const DocumentInputs& inputs, const Story& story, const OwnWords& words);

/// That changed code reads a setting which nothing read before, with its place, argument and default.
std::string awakened_words(const Flag& flag);

}  // namespace lockstep::report
