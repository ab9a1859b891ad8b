// What the call of a new alternative (steps/choice_chains.h) is given under a keyword that those beside it take, too,
// with another value.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// "`f` gets `splits=1`, where `g` and `h` get `splits=0 if fast else 1`", of values of which one at least is a
/// constant; what a dictionary holds that the function builds (`args = {"splits": 1}; g(**args)`) counts. At most
/// `most`.
std::vector<std::string> alternative_arguments(const Actor& actor, std::size_t most);

}  // namespace lockstep::report
