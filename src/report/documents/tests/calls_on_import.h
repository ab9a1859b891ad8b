// Functions that tests run by being imported: `prepare(os.environ)` in the body of `tests/unit/__init__.py`.
#pragma once

#include <string>

#include "program/program.h"

namespace lockstep::report {

/// "Called at `tests/unit/__init__.py:18`, which every test below `tests/unit` imports": where the body of a test
/// package or of a `conftest.py` surely calls the function, under no condition. Empty where none does.
std::string called_on_import(const program::Program& program, program::FunctionId function);

}  // namespace lockstep::report
