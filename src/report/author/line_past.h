// What stood in the place of lines that the change replaces before the commit that wrote them, and which commit that
// was: since when a fault can be there, and whether the change puts back what was there.
#pragma once

#include <string>
#include <vector>

#include "repo/line_history.h"
#include "report/document.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Marked text.
struct LinePast {
  /// "Until `1a2b3c4d5e` “Title” (2026-01-28), `self.x` was `f(y)`."
  std::string sentence;
  /// Where the change puts back what a commit had changed that its own words do not name: whether what that commit was
  /// for still holds. Else empty.
  std::string question;
};
/// Of the functions that carry the change, at most two; where there is none and the title speaks of a fault, who wrote
/// what the change replaces in the first of them. `edits`: of the side before the change.
std::vector<LinePast> line_past(const DocumentInputs& inputs, const Story& story, const repo::LineEdits& edits);

/// The lines of the steps that a changed function loses or has changed, but for what only moved.
repo::TouchedLines replaced_lines(const Actor& actor);

/// Puts them at the end of what the document says of why the change was made; nowhere else.
void tell_line_past(const std::vector<LinePast>& past, Document& document);

}  // namespace lockstep::report
