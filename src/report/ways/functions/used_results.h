// Changes that are about what a function returns, and calls that throw it away: a run that gets there by such a call
// sees nothing of the change.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "program/program.h"
#include "report/ways/way_checks.h"

namespace lockstep::report {

/// Whether all that the change touches in `function` only makes what it returns.
bool is_about_result(const program::Program& program, const program::Program& before, program::FunctionId function,
                     const Touched& touched);

/// Calls that are statements of their own; each caller is read once.
class UnusedResults {
 public:
  explicit UnusedResults(const program::Program& program) : program_(program) {}

  [[nodiscard]] bool contains(program::CallId call);

 private:
  const program::Program& program_;
  std::unordered_map<std::uint32_t, std::unordered_set<const python::Node*>> statements_;  ///< By caller.
};

}  // namespace lockstep::report
