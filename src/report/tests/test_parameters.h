// What a test gives a parameter of a function, through functions that hand it on as it is: constants, and what the
// test's own parameters get from `pytest.mark.parametrize`.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "program/program.h"
#include "report/source/defaults.h"
#include "report/tests/test_stand_ins.h"

namespace lockstep::report {

/// The values that `pytest.mark.parametrize` gives a parameter, on the function or its class; none where one of them is
/// no constant.
std::vector<Value> parametrized_values(const program::Program& program, program::FunctionId test,
                                       std::string_view parameter);

class TestParameters {
 public:
  /// Both must outlive it. `is_test`: by module, whether it is one of tests.
  TestParameters(const program::Program& program, const TestStandIns& stand_ins, const std::vector<bool>& is_test)
      : program_(program), stand_ins_(stand_ins), is_test_(is_test) {}

  /// All values that the parameter has in calls of `function` that run for the test; none where one is not known.
  [[nodiscard]] std::vector<Value> given(program::FunctionId test, program::FunctionId function,
                                         std::string_view parameter) const;

 private:
  [[nodiscard]] std::vector<Value> given_at(program::FunctionId test, program::FunctionId function,
                                            std::string_view parameter, int depth) const;
  [[nodiscard]] std::vector<Value> find_given(program::FunctionId test, program::FunctionId function,
                                              std::string_view parameter, int depth) const;
  [[nodiscard]] bool is_reached(program::FunctionId test, program::FunctionId function) const;
  [[nodiscard]] std::vector<Value> values_of(program::FunctionId test, program::FunctionId caller,
                                             const python::Expr* argument, int depth) const;

  const program::Program& program_;
  const TestStandIns& stand_ins_;
  const std::vector<bool>& is_test_;
  mutable std::unordered_map<std::uint32_t, std::vector<bool>> reached_;  ///< By test: the functions that it reaches.
  /// By test, function, parameter and depth.
  mutable std::map<std::tuple<std::uint32_t, std::uint32_t, std::string_view, int>, std::vector<Value>> known_;
};

}  // namespace lockstep::report
