// Options of the command line that are declared otherwise: another type, other choices, another number of values.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// "The `type` of the argument `--lag` changes from `int` to `float`." for each keyword of `add_argument`, but for its
/// default, its help and what only names it, that changed code outside tests gives otherwise; in the order of the code.
std::vector<std::string> redeclared_options(const Story& story);

}  // namespace lockstep::report
