// Flags that code reads without their names: all at once, or by what they start with. Linked program in, answers out.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "program/program.h"

namespace lockstep::rules {

/// Flags that code hands on without their names: by what they start with (`{k: v for k, v in vars(args).items() if
/// k.startswith("rollout_")}`), or all at once (`Config(**vars(args))`) in the file that declares them.
class ForwardedFlags {
 public:
  explicit ForwardedFlags(const program::Program& program);
  /// `destination`: of a flag that `module` declares.
  [[nodiscard]] bool forwards(program::ModuleId module, std::string_view destination) const;

 private:
  void look_at(program::ModuleId module, const python::Node& function);

  std::vector<std::string> prefixes_;  ///< With underscores.
  std::unordered_set<program::ModuleId> spread_in_;
};

}  // namespace lockstep::rules
