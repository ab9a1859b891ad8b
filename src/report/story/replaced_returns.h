// Several returns of a function in whose place one stands now: all of them are what was returned before.
#pragma once

#include <cstddef>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// The returns of the old version, by their indices in the order of the code, in place of which the changed return at
/// `index` of the new version stands: its own partner, and those that go where no other return came or changed. Empty
/// where that is one alone.
std::vector<std::size_t> returns_replaced_by(const Actor& actor, std::size_t index);

/// Whether the step at `index` of the old version is a return that is told with the one in its place.
bool is_replaced_return(const Actor& actor, std::size_t index);

}  // namespace lockstep::report
