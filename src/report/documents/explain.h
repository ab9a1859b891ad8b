// A change -> an article for a developer who will not read the diff (spec: explain): why and what, how a run meets it,
// the code walked through in execution order, what to watch out for. From facts alone; an average change takes under
// 1,500 words, a large one up to 1,900.
#pragma once

#include "report/document.h"
#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// What it is written from; no finding is asked.
Story find_story_to_explain(const DocumentInputs& inputs);
Document write_explain(const DocumentInputs& inputs, const Story& story);
/// Both.
Document write_explain(const DocumentInputs& inputs);

}  // namespace lockstep::report
