// What a change brings, in its author's words: the documentation that it writes of its settings and names, and the
// docstrings of its new modules. Quotes only.
#pragma once

#include <vector>

#include "report/author/why.h"

namespace lockstep::report {

/// The first paragraph of the new section that speaks most of what the change adds, else the new sentence that names a
/// new setting; then the first paragraphs of new modules in which the change's code stands. At most three.
std::vector<Saying> purposes_in_words(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
