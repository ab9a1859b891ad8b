// Functions inside a function that nothing outside tests uses: no run of the repository's own code makes them, whatever
// holds one of them where tests, or users of the repository, call that function.
//   def configure(model):
//       def finalize(grads): ...
//       model.config.finalize = finalize           # entered by `config.finalize(grads)` only behind configure()
#pragma once

#include <unordered_map>

#include "program/program.h"

namespace lockstep::program {

class UnmadeClosures {
 public:
  explicit UnmadeClosures(const Program& program) : program_(program) {}

  /// Whether the function stands in a function at the top of a module that no Python file outside tests names beside
  /// its own body. False for what decorators may keep, and for `main`.
  [[nodiscard]] bool contains(FunctionId function) const;

 private:
  [[nodiscard]] bool is_unused(FunctionId outermost) const;

  const Program& program_;
  mutable std::unordered_map<std::uint32_t, bool> known_;  ///< By the outermost function.
};

}  // namespace lockstep::program
