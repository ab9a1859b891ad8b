// A condition on the way of a script -> whether it holds there, as far as settings stay what their class declares:
// nothing that the script reaches makes an object of the class with another value, or sets it afterwards.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "program/program.h"
#include "report/source/defaults.h"
#include "report/ways/scripts/script_reach.h"

namespace lockstep::report {

class ScriptSettings {
 public:
  ScriptSettings(const program::Program& program, const MadeClasses& made) : program_(program), made_(made) {}

  /// Whether the condition, read in `function`, holds in all runs of a script; none where that is not sure.
  std::optional<bool> holds(const ScriptReach& script, program::FunctionId function, const python::Expr& condition);
  /// Whether it holds where all settings are what their classes declare.
  std::optional<bool> holds_by_default(program::FunctionId function, const python::Expr& condition);

 private:
  Value value_of_read(const ScriptReach* script, program::FunctionId function, const python::Expr& expression,
                      int depth);
  const program::Field* only_field(program::ClassId cls, std::string_view name);
  bool fills_fields(const ScriptReach& script);
  bool stays(const ScriptReach& script, program::ClassId cls, std::string_view name);
  bool is_set_outside(const ScriptReach* script, program::ClassId cls, std::string_view name);
  bool may_store(program::ModuleId module, std::string_view name);
  bool sets_computed(program::ModuleId module);
  bool is_part_put_in(const program::Field& field, program::ClassId cls) const;
  bool is_set_where_made(program::CallId call, program::ClassId cls, std::string_view name) const;

  const program::Program& program_;
  const MadeClasses& made_;
  enum class Known : std::uint8_t { kNot, kNo, kYes };
  std::map<std::string_view, std::vector<Known>> named_;             ///< By attribute and module: may_store.
  std::vector<Known> sets_computed_;                                 ///< By module.
  std::map<std::pair<std::uint32_t, std::string_view>, bool> only_;  ///< By class and field.
  std::map<const ScriptReach*, bool> fills_;
  std::map<std::pair<const ScriptReach*, std::pair<std::uint32_t, std::string_view>>, bool> stays_;
};

}  // namespace lockstep::report
