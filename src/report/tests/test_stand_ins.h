// Which stand-ins hold while a test runs: those that it puts itself, and those of its fixtures, its set-up and the
// helpers in test files that it calls; and what the test calls where none of them holds.
#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "program/program.h"
#include "report/tests/test_replacements.h"
#include "report/tests/test_runner.h"

namespace lockstep::report {

class TestStandIns {
 public:
  /// `is_test`: by module, whether it is one of tests.
  TestStandIns(const program::Program& program, const TestRunner& runner, const std::vector<bool>& is_test)
      : program_(program), runner_(runner), is_test_(is_test), replacements_(program) {}

  /// Those in the code of one function of the tests.
  const std::vector<Replacement>& of(program::FunctionId function) const { return replacements_.of(function); }
  /// The code of tests that runs for a test: itself, its fixtures and set-up, and the helpers in test files that these
  /// call.
  const std::vector<program::FunctionId>& code_of(program::FunctionId test) const;
  /// What a test replaces, with what its fixtures, set-up and the helpers in test files that it calls replace.
  const std::vector<Replacement>& of_test(program::FunctionId test) const;
  /// Whether one of them sends the call elsewhere than to `callee`; with `surely`, whether one may.
  [[nodiscard]] bool is_replaced(const std::vector<Replacement>& replaced, program::CallId call,
                                 program::FunctionId callee, bool surely) const;

  /// Whether a test, its fixtures or helpers make a call to one of `leading` where none of `own` holds: before they are
  /// put, or when they are gone. kMaybe: in a fixture, and another may have put them before.
  enum class Outside : std::uint8_t { kNo, kMaybe, kYes };
  [[nodiscard]] Outside calls_outside(program::FunctionId test, const std::vector<Replacement>& own,
                                      const std::unordered_set<std::uint32_t>& leading) const;

 private:
  /// One question of calls_outside().
  struct Search {
    const std::vector<Replacement>& own;
    const std::unordered_set<std::uint32_t>& leading;
    std::set<std::uint32_t> entered{};
    std::unordered_map<std::uint32_t, bool> leaving{};  ///< What leaves_one() came to.
  };
  /// Whether `function` does so itself, or through a helper.
  bool escapes(program::FunctionId function, Search& search) const;
  /// Whether one that `function` or a helper of it puts holds on behind its call.
  bool leaves_one(program::FunctionId function, Search& search) const;
  [[nodiscard]] std::vector<program::FunctionId> helpers_at(program::CallId call) const;

  const program::Program& program_;
  const TestRunner& runner_;
  const std::vector<bool>& is_test_;
  TestReplacements replacements_;
  mutable std::unordered_map<std::uint32_t, std::vector<program::FunctionId>> code_of_;
  mutable std::unordered_map<std::uint32_t, std::vector<Replacement>> of_test_;
};

}  // namespace lockstep::report
