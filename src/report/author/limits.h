// What the change's own words say of limits and trade-offs: its message, docstrings, comments and documents. Quotes
// only.
#pragma once

#include <vector>

#include "report/author/why.h"

namespace lockstep::report {

/// What is said under headings that promise limits ("Limitations", "Known issues", "Scope and limitations") before the
/// sentences that name a limit themselves ("at the cost of", "trades … for", "not supported"); at most `most`, the same
/// words once.
std::vector<Saying> limits_in_words(const DocumentInputs& inputs, const Story& story, std::size_t most);

}  // namespace lockstep::report
