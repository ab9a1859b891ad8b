// What the change's own words say of limits and trade-offs: its message, docstrings, comments and documents. Quotes
// only.
#pragma once

#include <string_view>
#include <vector>

#include "report/author/why.h"

namespace lockstep::report {

/// Whether a sentence names a limit or a trade-off: "at the cost of", "trades … for", "known issue", "not supported".
bool names_limit(std::string_view sentence);
/// Whether a heading promises such sentences: "Limitations", "Known issues", "Scope and limitations".
bool heads_limits(std::string_view heading);

/// What is said under such headings before the sentences that name a limit themselves; at most `most`, a source once.
std::vector<Saying> limits_in_words(const DocumentInputs& inputs, const Story& story, std::size_t most);

}  // namespace lockstep::report
