// A local that a changed step sets, and the unchanged code behind it that reads it: what the change comes to there.
#pragma once

#include <cstddef>
#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// "it goes into `scale(bias, degree)` (`moe.py:189`)" of the local that step `index` of the after side sets (or a
/// branch that does just that): the first unchanged step that reads it, as a condition, an argument or otherwise, with
/// how many more there are. Empty where the step sets something else, where a changed step reads it (that is told
/// itself), and where the function only returns it.
std::string local_use_words(const Actor& actor, std::size_t index);

}  // namespace lockstep::report
