// Words of a condition as drawings have room for them.
#pragma once

#include <string>

namespace lockstep::report {

/// "x is not -1" of "x (set to f(y)) is not -1": plain text or marked.
std::string without_set_values(std::string words);

}  // namespace lockstep::report
