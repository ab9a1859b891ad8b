// Whether a test gets to one of some functions, against the calls: whatever a call may enter counts.
#pragma once

#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// `code`: that runs for the test (TestStandIns::code_of). `without`: a call that does not count. True where the search
/// was given up, too.
bool reaches_any(const program::Program& program, const std::vector<program::FunctionId>& code,
                 const std::vector<program::FunctionId>& wanted, program::CallId without = {});

}  // namespace lockstep::report
