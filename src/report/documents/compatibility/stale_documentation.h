// Names that a change takes away and that the repository's documentation still has.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk for the names that are gone from all Python code of the repository and stand in its Markdown or
/// reStructuredText still; none for words of everyday language and for histories of changes. And one for each field
/// that a class loses and that this documentation gives it still (`Converter.Config(size=1)`), whoever else has one of
/// that name.
void add_stale_documentation(const DocumentInputs& inputs, std::vector<Risk>& risks);

}  // namespace lockstep::report
