// The calls on the ways to a function that are not made when a test runs: for what it sets or leaves unset, and for the
// stand-ins that it gives methods as their `self`.
#pragma once

#include <functional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "program/program.h"
#include "report/tests/stand_in_selves.h"
#include "report/tests/test_conditions.h"
#include "report/tests/test_settings.h"

namespace lockstep::report {

/// Of the ways to one function.
class ClosedCalls {
 public:
  /// Whether a test may set what a call stands under.
  using MaySet = std::function<bool(program::FunctionId test, program::CallId call)>;
  struct Sources {
    const program::Program& program;
    const TestSettings& settings;
    const TestConditions& conditions;
    const StandInSelves& selves;
  };

  /// `leading`: functions from which calls surely lead there, with their distances, nearest first.
  ClosedCalls(const Sources& sources, const std::vector<std::pair<program::FunctionId, int>>& leading, MaySet may_set);

  [[nodiscard]] bool leads(program::FunctionId function) const { return surely_.contains(function.value); }
  /// Those that are not made when the test runs.
  [[nodiscard]] std::set<std::uint32_t> of(program::FunctionId test) const;
  /// With those that may not be made: a variable of the name of what the test is parametrized with is asked for another
  /// value. `closed`: what of() says of the test.
  [[nodiscard]] std::set<std::uint32_t> with_unclear(program::FunctionId test, std::set<std::uint32_t> closed) const;

 private:
  void find_calls(const std::vector<std::pair<program::FunctionId, int>>& leading);

  const Sources sources_;
  const MaySet may_set_;
  std::unordered_set<std::uint32_t> surely_;
  std::vector<program::CallId> near_;   ///< Between functions near the target.
  std::vector<program::CallId> calls_;  ///< Of these, those under conditions on what tests may set.
};

}  // namespace lockstep::report
