// What stood in the place of lines that the change replaces before the commit that wrote them, and which commit that
// was: since when a fault can be there, and whether the change puts back what was there.
#pragma once

#include <string>
#include <vector>

#include "repo/line_history.h"
#include "report/document.h"
#include "report/story/story.h"

namespace lockstep::report {

/// "Until `1a2b3c4d5e` “Title” (2026-01-28), `self.x` was `f(y)`." of the functions that carry the change, and who
/// wrote what it replaces in the first of them; marked text, at most two sentences. `edits`: of the side before the
/// change.
std::vector<std::string> line_past(const DocumentInputs& inputs, const Story& story, const repo::LineEdits& edits);

/// Puts these sentences at the end of what the document says of why the change was made; nowhere else.
void tell_line_past(const std::vector<std::string>& sentences, Document& document);

}  // namespace lockstep::report
