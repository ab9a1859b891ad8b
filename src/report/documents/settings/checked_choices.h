// Texts that a check lets a setting have: `assert self.mode in ("a", "b")`. Which of them a change adds or takes out.
#pragma once

#include <string>
#include <vector>

#include "report/inputs.h"

namespace lockstep::report {

/// "The check of `modules` (`config.py:7`, in `Config.__post_init__`) accepts `"qkv"` now." for each check of a field
/// of a configuration against texts that are written out, where these change: one item a check, at most three. Of
/// fields that a function checks more than once nothing is said.
std::vector<std::string> checked_choice_items(const DocumentInputs& inputs);

}  // namespace lockstep::report
