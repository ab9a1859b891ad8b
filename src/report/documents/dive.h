// A change -> the deep dive (spec: dive): TL;DR, big picture, design rationale, execution path, module relationships,
// risks, quick reference: seven sections with every subsection and every diagram, or "N/A - reason". From facts alone;
// an average change takes under 4,000 words.
#pragma once

#include "report/document.h"
#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// What it is written from; no finding is asked.
Story find_story_to_dive(const DocumentInputs& inputs);
Document write_dive(const DocumentInputs& inputs, const Story& story);
/// Both.
Document write_dive(const DocumentInputs& inputs);

}  // namespace lockstep::report
