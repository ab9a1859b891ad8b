// Code with other code in the place of parts of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "text/source.h"

namespace lockstep::report {

/// The text of `whole` with each of the parts, which stand in it and do not overlap, replaced.
std::string with_replaced(const SourceText& source, Span whole, std::vector<std::pair<Span, std::string>> parts);

}  // namespace lockstep::report
