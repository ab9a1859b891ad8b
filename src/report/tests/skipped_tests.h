// Tests that their author switched off, whatever they would reach: pytest.mark.skip, unittest.skip, a first statement
// that skips. Program in, one answer a function out.
//
// Left out: skips under a condition (skipif, a skip inside an if): they may run.
#pragma once

#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// By function: true for a function of a test file that never runs as a test, by its own marks or those of its classes
/// or its file.
std::vector<bool> skipped_tests(const program::Program& program);

}  // namespace lockstep::report
