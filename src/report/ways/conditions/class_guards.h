// Calls that are made only where something is a module of a certain class: `if isinstance(model, MimoModel):`. Runs of
// a script that loads no code which makes such a module do not come to them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "program/program.h"
#include "report/ways/scripts/script_reach.h"

namespace lockstep::report {

class ClassGuards {
 public:
  ClassGuards(const program::Program& program, const MadeClasses& made);

  /// Modules, of which one makes objects of a class that is asked for, or of an heir.
  using AnyOf = std::vector<program::ModuleId>;
  /// For each branch around the call that asks for a class: who makes it. Only of classes below torch.nn.Module that
  /// code outside tests makes by their names; empty for most calls.
  [[nodiscard]] const std::vector<AnyOf>& around(program::CallId call) const;

 private:
  void note(const MadeClasses& made, program::ModuleId module);
  [[nodiscard]] AnyOf makers_of(const MadeClasses& made, program::ClassId cls) const;
  [[nodiscard]] AnyOf asked_for(const MadeClasses& made, program::ModuleId module, const python::Expr& condition) const;

  const program::Program& program_;
  std::unordered_map<std::uint32_t, std::vector<AnyOf>> around_;  ///< By call.
  const std::vector<AnyOf> none_;
};

}  // namespace lockstep::report
