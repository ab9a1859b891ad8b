// Tests that expect an error of what they call (`with pytest.raises(AssertionError): f(x)`): the call may end before it
// comes to what it leads to.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// The error (its source, "AssertionError") that a test expects of all its calls that lead to `target`, by `distance`
/// calls at most; empty where one of them stands outside of such a block, and where none was found to lead there.
std::string expected_error(const program::Program& program, program::FunctionId test, program::FunctionId target,
                           int distance);

/// Leaves tests out that expect an error which `target` itself does not raise, where others surely lead there: what
/// they call may refuse before it comes to it.
void leave_out_expecting(const program::Program& program, program::FunctionId target, std::vector<TestReach>& tests);

}  // namespace lockstep::report
