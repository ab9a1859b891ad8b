// Checks of a changed function and the calls that they are done before or after -> what is checked first now that was
// done first before. By their text: a call that is written otherwise now is another one.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Whether a step checks something: it refuses, or calls what by its name asserts.
bool is_check(const std::vector<Step>& steps, std::size_t index);

/// The last calls that a check which goes stood behind, and that a new check of the function stands before. As code,
/// "`a` and `b`"; empty where nothing is.
std::string passed_by_check(const Actor& actor);

}  // namespace lockstep::report
