// Tests that their author switched off, whatever they would reach: pytest.mark.skip, unittest.skip, a first statement
// that skips. Program in, one answer a function out.
//
// Left out of those: skips under a condition (skipif, a skip inside an if): they may run.
#pragma once

#include <string>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// By function: true for a function of a test file that never runs as a test, by its own marks or those of its classes
/// or its file.
std::vector<bool> skipped_tests(const program::Program& program);

/// The conditions under which marks of the test, its classes or its file skip it (`skipif(not HAVE_TE)`), as they are
/// written, on one line; each once. That there is no GPU is not told.
std::vector<std::string> skip_conditions(const program::Program& program, program::FunctionId test);

}  // namespace lockstep::report
