// `super().__call__(…)` of a module's own `__call__` -> the `forward` that it comes to at last, whatever the `__call__`
// of its bases do in between: what these do on the way differs from class to class.
//   class Model(Graphed):
//     def __call__(self, x): return super().__call__(x)    # comes to Model.forward
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

class ModuleCalls {
 public:
  explicit ModuleCalls(const program::Program& program);

  /// Calls `super().__call__(…)` that come to this `forward` through a `__call__` of the repository; those that come to
  /// it directly the call graph has. Empty for other functions.
  [[nodiscard]] const std::vector<program::CallId>& to(program::FunctionId forward) const;

 private:
  std::unordered_map<std::uint32_t, std::vector<program::CallId>> calls_;  ///< By `forward`.
  const std::vector<program::CallId> none_;
};

}  // namespace lockstep::report
