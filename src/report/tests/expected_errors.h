// Tests that get to a function only where they expect an error: `with pytest.raises(ValueError): f(…)`. What stops may
// do so before it comes to the function, or to what changes in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/story/story.h"
#include "report/tests/test_runner.h"

namespace lockstep::report {

/// Whether a call of that name says which error it waits for: `pytest.raises`, `self.assertRaises`.
bool expects_error(std::string_view callee);

/// "`ValueError`", "an error" where its name is not told: what the test expects of all its calls that may lead to
/// `target`. Empty where one of them stands elsewhere, or its fixtures and set-up may lead there, too.
std::string expected_error(const program::Program& program, program::FunctionId test, program::FunctionId target);

/// Where `target` raises nothing itself, who refuses is another, on the way or behind it: of tests that lead to it as
/// surely as one another puts those that expect an error last, and leaves them out where others are left and they do
/// not call it themselves.
void put_refused_last(const program::Program& program, const TestRunner& runner, program::FunctionId target,
                      std::vector<TestReach>& tests);

}  // namespace lockstep::report
