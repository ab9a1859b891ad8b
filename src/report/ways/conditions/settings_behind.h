// Settings that a condition asks for through what it reads: values that code gives only where a setting is set.
//   block = None
//   if args.mtp_num_layers: block = make(args)      # in a script
//   Model(block)
//   self.process = block is not None and on_last    # in Model.__init__
//   if self.process: …                              # asks for `mtp_num_layers`
//   if get_backend() == "fast": …               # behind `set_backend(args.backend)`
// And sizes of process groups that are called after what they are for: `if self.pg_collection.cp.size() > 1`.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "program/program.h"
#include "report/source/code.h"
#include "report/ways/conditions/asked_settings.h"

namespace lockstep::report {

/// A setting, and the part of the condition that asks for it: `a` of `a and b`.
struct SettingBehind {
  ReadSetting setting;
  const python::Expr* part = nullptr;
  bool negated = false;  ///< The part has not to hold.
};

class SettingsBehind {
 public:
  /// Both must outlive it.
  SettingsBehind(const program::Program& program, const AskedSettings& asked) : program_(program), asked_(asked) {}

  /// The settings without one of which the condition, read in `function`, does not hold (`negated`: does hold), as far
  /// as all that gives its values shows; those that it reads itself are not among them. Empty where something gives
  /// such a value whatever the settings are, and where that is not worked out.
  [[nodiscard]] std::vector<SettingBehind> of(program::FunctionId function, const python::Expr& condition,
                                              bool negated) const;

 private:
  using Settings = std::vector<ReadSetting>;
  /// A name of a function, or an attribute of its `self`, that is being asked for.
  using Open = std::set<std::pair<std::uint32_t, std::string_view>>;
  Settings for_condition(program::FunctionId function, const python::Expr& condition, bool wanted, Open& open) const;
  /// `group.size()`, `get_world_size(group)`: the setting that says how many ranks such a group has.
  Settings for_group_size(program::FunctionId function, const python::Call& call) const;
  /// What a function of the repository reads to return something: `def is_on(args): return args.a and not args.b`.
  Settings for_returned(const python::Call& call) const;
  /// What a function gives that does nothing but return a variable of its module, which another sets to its parameter:
  /// `get_backend()` behind `set_backend(config.backend)`.
  Settings for_variable_behind(const python::Call& call, Open& open) const;
  Settings for_value(program::FunctionId function, const python::Expr& value, Open& open) const;
  Settings for_name(program::FunctionId function, std::string_view name, Open& open) const;
  Settings for_parameter(program::FunctionId function, const python::FunctionDef& def,
                         const python::Parameter& parameter, Open& open) const;
  Settings for_attribute(program::FunctionId function, std::string_view name, Open& open) const;
  /// What a place runs under: the branches around it in its function.
  Settings for_place(program::FunctionId function, Span place, Open& open) const;
  /// What all calls of the function run under; nothing where one of them runs whatever the settings are.
  Settings for_calls(program::FunctionId function, Open& open) const;

  const program::Program& program_;
  const AskedSettings& asked_;
  /// The settings of group sizes and the classes that declare them; found when first asked for.
  mutable std::optional<std::map<std::string_view, program::ClassId>> sizes_;
};

}  // namespace lockstep::report
