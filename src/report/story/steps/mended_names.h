// Imports that a change adds for names that the old code used already, and that nothing bound: what used them failed.
#pragma once

#include <string>
#include <vector>

#include "report/inputs.h"

namespace lockstep::report {

/// One marked sentence for each changed module outside tests with such imports: "`x` is imported now; before the change
/// `f` used it (`a.py:3` there), and nothing bound it: a `NameError`."
std::vector<std::string> mended_names(const DocumentInputs& inputs);

}  // namespace lockstep::report
