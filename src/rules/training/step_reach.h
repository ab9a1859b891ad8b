// How the functions of the step path are reached: one breadth-first walk from its roots that remembers the call by
// which each function was first entered. Does not pass through what runs once (constructors, set-up, loading, saving)
// or seldom (under conditions about logging, debugging, intervals), nor
// through versions for the host (`…_cpu`).
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "rules/rule.h"

namespace lockstep::rules {

class StepReach {
 public:
  StepReach(const program::Program& program, const std::vector<program::Reached>& step_path);

  /// Functions that run every step, by distance, then in the order of the program.
  [[nodiscard]] const std::vector<program::FunctionId>& functions() const { return order_; }
  [[nodiscard]] bool reaches(program::FunctionId function) const { return entered_by_.contains(function); }
  /// The calls from a root down to `function`, in order; empty for a root.
  [[nodiscard]] std::vector<program::CallId> path_to(program::FunctionId function) const;
  [[nodiscard]] program::FunctionId root_of(program::FunctionId function) const;
  /// "`train_step` → `forward_step` → `forward`", with "…" for the middle of a long path.
  [[nodiscard]] std::string describe(program::FunctionId function) const;

 private:
  const program::Program& program_;
  std::vector<program::FunctionId> order_;
  std::unordered_map<program::FunctionId, program::CallId> entered_by_;  ///< None for roots.
};

/// True for functions that run once, or on demand: constructors, set-up, loading and saving, printing, debugging.
bool runs_rarely(std::string_view function_name);

}  // namespace lockstep::rules
