// Tests that their author switched off, whatever they would reach: pytest.mark.skip, unittest.skip, a first statement
// that skips. Program in, one answer a function out. And what the marks of one definition say.
//
// Left out of those that are off: skips under a condition (skipif, a skip inside an if): they may run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// By function: true for a function of a test file that never runs as a test, by its own marks or those of its classes
/// or its file.
std::vector<bool> skipped_tests(const program::Program& program);

/// The conditions under which marks of the test, its classes or its file skip it (`skipif(not HAVE_TE)`), as they are
/// written, on one line; each once. That there is no GPU is not told.
std::vector<std::string> skip_conditions(const program::Program& program, program::FunctionId test);

/// A mark by which tests are skipped, or expected to fail.
struct TestMark {
  enum class Kind : std::uint8_t { kSkips, kFails };
  Kind kind = Kind::kSkips;
  std::string condition;    ///< As it is written, on one line; empty where there is none.
  std::string_view reason;  ///< Of the syntax tree; empty where none is given as a text.
  bool operator==(const TestMark&) const = default;
};

/// The marks of a FunctionDef, a ClassDef or a Module itself: decorators, `pytestmark`, a first statement that skips.
std::vector<TestMark> marks_of_tests(const SourceText& source, const python::Node& definition);

}  // namespace lockstep::report
