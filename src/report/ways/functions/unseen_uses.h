// What code may get hold of without its name in a call: functions that are handed to others as values, and what a
// module binds where its names are looked up by texts that are worked out.
#pragma once

#include <string_view>

#include "program/program.h"

namespace lockstep::report {

class UnseenUses {
 public:
  explicit UnseenUses(const program::Program& program) : program_(program) {}

  /// Whether code outside tests may call the function where no call site of it stands: it is given to a call that the
  /// program does not follow (`fire.Fire(f)`), kept (`table["x"] = f`), or looked up by name. Constructors are none.
  [[nodiscard]] bool may_call(program::FunctionId function) const;
  /// Whether code outside tests looks up names that are worked out in a module that binds this name to what
  /// `declared_in` declares: `getattr(module, name)`, `globals()[name]`, `vars(module)`, `module.__dict__`.
  [[nodiscard]] bool may_look_up(program::ModuleId declared_in, std::string_view name) const;
  /// Whether code outside tests asks a class that `cls` is or derives from for its `__subclasses__()`.
  [[nodiscard]] bool may_list(program::ClassId cls) const;

 private:
  [[nodiscard]] bool is_used_unseen(program::FunctionId function) const;

  const program::Program& program_;
};

}  // namespace lockstep::report
