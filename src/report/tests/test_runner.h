// What a test runner calls besides the tests: fixtures for the tests and fixtures that ask for them, set-up methods for
// the tests of their class or module.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// The edges that a test runner adds: fixture -> the tests and fixtures that ask for it, set-up -> tests of its class.
/// Ask for Program::derived<TestRunner>().
class TestRunner {
 public:
  explicit TestRunner(const program::Program& program);

  /// Tests and fixtures for which the runner calls `id`.
  [[nodiscard]] const std::vector<program::FunctionId>& callers_of(program::FunctionId id) const;
  /// The fixtures and set-up that the runner calls for a test or a fixture.
  [[nodiscard]] const std::vector<program::FunctionId>& called_for(program::FunctionId id) const;

 private:
  using Edges = std::unordered_map<std::uint32_t, std::vector<program::FunctionId>>;
  Edges callers_;
  Edges called_for_;
};

}  // namespace lockstep::report
