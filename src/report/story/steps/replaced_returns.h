// Several returns of a function in whose place one stands now: all of them are what was returned before. And one in
// whose place several stand.
#pragma once

#include <cstddef>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// The returns of the old version, by their indices in the order of the code, in place of which the changed return at
/// `index` of the new version stands: its own partner, and those that go where no other return came or changed. Empty
/// where that is one alone.
std::vector<std::size_t> returns_replaced_by(const Actor& actor, std::size_t index);

/// The returns of the new version, of different values, that are there in place of the one at `index` of the old one,
/// which was its only one and goes: at least two, and all that the new version has. Empty for others.
std::vector<std::size_t> returns_in_place_of(const Actor& actor, std::size_t index);

/// Whether the step at `index` of the old version is a return that is told with the one in its place.
bool is_replaced_return(const Actor& actor, std::size_t index);

}  // namespace lockstep::report
