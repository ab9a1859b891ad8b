// Ideas behind the changed code that a reader may want explained, and patterns worth a word: both detected in the code,
// explained from a table. Never guessed: each note names the place where the thing stands.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// "CUDA events (`path:line`): …": concepts used in new or changed steps of central functions; at most `limit`.
std::vector<std::string> concept_notes(const DocumentInputs& inputs, const Story& story, std::size_t limit);
/// Pitfalls and possible improvements, from patterns in the changed code; at most `limit`.
std::vector<std::string> insight_notes(const DocumentInputs& inputs, const Story& story, std::size_t limit);

}  // namespace lockstep::report
