// A value as one line of limited width in which what decides what it is stays: the calls at its end that change its
// shape (`….transpose(0, 1).squeeze(1)`), and what `.get(key, default)` gives where there is nothing.
#pragma once

#include <cstddef>
#include <string>

#include "python/tree.h"
#include "text/source.h"

namespace lockstep::report {

std::string value_text(const SourceText& source, const python::Node& value, std::size_t limit);

}  // namespace lockstep::report
