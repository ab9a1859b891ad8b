// What tests put in place of other code: what passes with a stand-in may fail with what it stands for.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// "`test_load` (`tests/a.py:3`) puts stand-ins in place of other code: `MockOptimizer` and `get_args`." of
/// Story::stand_ins of the first tests that lead to the central functions, at most `most`.
std::vector<std::string> stand_in_items(const DocumentInputs& inputs, const Story& story, std::size_t most);

}  // namespace lockstep::report
