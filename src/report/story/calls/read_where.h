// An argument that a changed call gives as another value, and the function that takes it reads only under conditions:
// in all other runs the change makes no difference.
#pragma once

#include <string>
#include <vector>

#include "report/story/calls/changed_arguments.h"

namespace lockstep::report {

/// "`f` reads `x` only where `self.flag` is true (`a.py:3`), which does not hold by default.": of each argument of
/// `edited_arguments` of which that is known. At most two.
std::vector<std::string> read_where_words(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
