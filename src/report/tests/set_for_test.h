// Which settings the code of tests that runs for one test may set: its own, that of its fixtures, its set-up and its
// helpers, and what its files run when they are loaded. What other tests of a file set is not set for this one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/program.h"
#include "report/tests/test_stand_ins.h"

namespace lockstep::report {

class SetForTest {
 public:
  /// Both must outlive it.
  SetForTest(const program::Program& program, const TestStandIns& stand_ins)
      : program_(program), stand_ins_(stand_ins) {}

  /// Whether a file of tests has the name (also within `ddp_x` and as `--some-x`), with another value than `False` or
  /// `None`, in code that may run for the test.
  [[nodiscard]] bool may_set(program::FunctionId test, const std::string& name, program::ModuleId file) const;
  /// The same of the code that is known to run for it.
  [[nodiscard]] bool sets(program::FunctionId test, const std::string& name) const;

 private:
  [[nodiscard]] bool may_run(program::FunctionId test, program::FunctionId function) const;

  const program::Program& program_;
  const TestStandIns& stand_ins_;
  /// By test and function.
  mutable std::map<std::pair<std::uint32_t, std::uint32_t>, bool> may_run_;
};

}  // namespace lockstep::report
