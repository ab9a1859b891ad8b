// New files that only tests load: what they hold runs in no training step yet, whatever it is called.
#pragma once

#include "program/program.h"

namespace lockstep::rules {

/// Whether a file that `before` does not hold is imported by tests, is no script, and its name stands in no file
/// outside tests but its own: neither an import nor a text that is worked out leads to it.
bool is_used_by_tests_alone(const program::Program& after, const program::Program& before, program::ModuleId module);

}  // namespace lockstep::rules
