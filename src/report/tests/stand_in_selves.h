// Objects of tests that stand in for real ones, `SimpleNamespace(…)` and mocks: what is read off them is no code of the
// repository, also where a test gives a method such a `self` (`Trainer.step(trainer)`).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "program/program.h"
#include "report/tests/test_stand_ins.h"

namespace lockstep::report {

/// `trainer = MagicMock()`, `trainer.checkpointer = SimpleNamespace(…)`: what is read off it is no code of ours. Not
/// where anything else is put there, or it wraps something.
bool is_stand_in(const program::Program& program, program::ModuleId id, std::uint32_t at, const python::Expr& receiver);

class StandInSelves {
 public:
  /// Both must outlive it. `is_test`: by module, whether it is one of tests.
  StandInSelves(const program::Program& program, const TestStandIns& stand_ins, const std::vector<bool>& is_test)
      : program_(program), stand_ins_(stand_ins), is_test_(is_test) {}

  /// Calls on `self` that go to a stand-in whenever they are made for the test.
  const std::vector<program::CallId>& calls_of(program::FunctionId test) const;

 private:
  [[nodiscard]] std::vector<program::CallId> find_calls(program::FunctionId test) const;
  /// Whether what a stand-in has under that name is no code of the repository.
  [[nodiscard]] bool is_empty(program::FunctionId test, program::FunctionId function, const python::Call& maker,
                              std::string_view name) const;

  const program::Program& program_;
  const TestStandIns& stand_ins_;
  const std::vector<bool>& is_test_;
  mutable std::unordered_map<std::uint32_t, std::vector<program::CallId>> known_;  ///< By test.
};

}  // namespace lockstep::report
