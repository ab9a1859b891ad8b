// The early returns of a function that a run has to pass before it comes to a place in it.
//   if not initialized: return None
//   if group is None: group = default()       # only where `initialized` is set, too
#pragma once

#include <cstddef>
#include <string>

#include "python/tree.h"
#include "text/source.h"

namespace lockstep::report {

/// "`initialized` is set": what holds at the place since no branch before it has returned, or left the round of its
/// loop; of more than `most` the nearest ones. Empty where there is none, or where what they ask is given another value
/// in between.
std::string passed_returns_words(const python::Node& function, Span place, const SourceText& source,
                                 std::size_t most = 2);

}  // namespace lockstep::report
