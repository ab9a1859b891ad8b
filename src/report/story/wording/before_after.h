// What differs in one entity, as rows of before and after.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

struct BeforeAfter {
  std::string aspect;  ///< Marked text: "`x`", "condition", "default of `y`".
  std::string before;  ///< Marked text; "—" where there was nothing.
  std::string after;
  bool decides = false;  ///< A condition, or an argument that switches something.
};
std::vector<BeforeAfter> before_after(const DocumentInputs& inputs, const Actor& actor, std::size_t limit);

}  // namespace lockstep::report
