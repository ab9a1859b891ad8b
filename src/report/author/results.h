// What the change's own words report of how it was tried, where something did not go as it should: "Loss mismatch at
// step 1" under "Test plan". Quotes only.
#pragma once

#include <cstddef>
#include <vector>

#include "report/author/why.h"

namespace lockstep::report {

/// Of paragraphs under headings such as "Test plan" and "Results", those that tell of a mismatch, an error or a loss of
/// speed; at most `most`. `source` of each is the heading in its author's words.
std::vector<Saying> failures_in_words(const DocumentInputs& inputs, std::size_t most);

}  // namespace lockstep::report
