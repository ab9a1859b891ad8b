// The settings that a change adds, as items of "what": their documentation, and what the change asks of them before a
// run starts.
#pragma once

#include <string>
#include <vector>

#include "report/author/why.h"
#include "report/documents/risks.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Whether the documentation of the setting is told with what the change brings.
bool is_documented_in_what(const program::Program& program, const Flag& flag, const OwnWords& words);

/// One item on each new setting with documentation or checks, one on all others, then the changed defaults; empty
/// where there are none.
std::vector<std::string> setting_items(const DocumentInputs& inputs, const Story& story, const OwnWords& words);

/// Items of "what": settings that changed code reads and that nothing read before, with their places, arguments,
/// defaults, readers and documentation; then other options that come into being without a new field
/// (brought_options.h).
std::vector<std::string> awakened_items(const DocumentInputs& inputs, const Story& story);

/// The same in short, as sentences: without documentation.
std::vector<std::string> awakened_sentences(const DocumentInputs& inputs, const Story& story);

/// A risk for each setting that nothing read before and that is on by default: existing runs do what it switches on.
void add_awakened_settings(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
