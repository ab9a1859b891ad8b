// Test code of a change that is no test function (a configuration that a list of runs names, a helper): what it leads
// to.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// "Test code of the change that is no test function leads there: `f` (place)": by calls that surely enter what they
/// call; empty where none does.
std::string leading_test_code(const DocumentInputs& inputs, const Story& story,
                              const std::vector<program::FunctionId>& functions);

}  // namespace lockstep::report
