// A document that is a little too long -> the same with the details of least use left out, before a shorter version of
// it would do without a drawing.
#pragma once

#include <cstddef>

#include "report/document.h"

namespace lockstep::report {

/// How many drawings the document has.
std::size_t drawings_in(const Document& document);

/// The document with as few of these taken out as make it fit, in this order, the last ones first: concepts,
/// what is said of variables below the code, pitfalls that quote nobody, rows of "before and after" but for the first
/// five. It may be too long still.
Document shortened(Document document, std::size_t most_words);

}  // namespace lockstep::report
