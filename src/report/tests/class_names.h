// Which code of tests names a class: what may make its objects where the call graph does not see that it does.
#pragma once

#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// Functions in files of tests whose text names the class itself (`Cls(…)`, `module.Cls.Config(…)`), each once. Not
/// those that only have its name in a text, a comment or an annotation.
std::vector<program::FunctionId> test_functions_naming(const program::Program& program, program::ClassId cls);

}  // namespace lockstep::report
