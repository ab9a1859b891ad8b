// Story::value_cases as tables.
#pragma once

#include <cstddef>

#include "report/document.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Puts the first `most` into the document, each below its caption, with about `most_rows` lines.
void add_value_cases(Document& document, const Story& story, std::size_t most, std::size_t most_rows);

}  // namespace lockstep::report
