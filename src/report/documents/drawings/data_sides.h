// Choices of a function on both sides of which a change touches data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// One side of an `if` with an `else:`; its steps are [first, end), the header first.
struct Side {
  std::size_t first = 0;
  std::size_t end = 0;
};

/// The two sides of the outermost `if` with an `else:`, without `elif`, on both of which data changes, and more
/// of it than elsewhere in the function; none of a new function, all of which is new.
std::vector<Side> changed_sides(const Actor& actor);

/// "when `c` is set" of a side, marked.
std::string condition_of(const std::vector<Step>& steps, const Side& side, const SourceText& source);

}  // namespace lockstep::report
