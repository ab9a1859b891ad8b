// Designs that the change's author names and did not take. Quotes only.
#pragma once

#include <cstddef>
#include <vector>

#include "report/author/why.h"

namespace lockstep::report {

/// What stands in sections on alternatives ("Alternatives considered:", "Rejected:") of the message and of docstrings
/// and comments that the change writes, of weightier definitions first, and of docstrings that it takes such a section
/// out of; then sentences of `words` that name one; at most `most`.
std::vector<Saying> alternatives_in_words(const DocumentInputs& inputs, const Story& story, const OwnWords& words,
                                          std::size_t most);

}  // namespace lockstep::report
