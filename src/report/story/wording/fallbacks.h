// A value and what stands in for it where it is None:
//   shapes = getattr(p, "shapes", None)
//   if shapes is None:
//       shapes = self.shapes
#pragma once

#include <cstddef>
#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// "sets `shapes` to `getattr(p, "shapes", None)`, or, where that is `None`, to `self.shapes`": of the new branch
/// `index` of the after side that does nothing but set a name which the new step right before it sets; empty for
/// others.
std::string fallback_words(const Actor& actor, std::size_t index);

}  // namespace lockstep::report
