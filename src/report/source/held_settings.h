// Attributes of `self` that hold a setting: `self.enable = config.enable` in `__init__`.
#pragma once

#include <cstddef>
#include <string_view>

#include "program/program.h"

namespace lockstep::report {

struct HeldSetting {
  std::string_view name;         ///< Of the setting; empty: none.
  program::ClassId declared_by;  ///< Whose field it is, where the configuration's annotation says so.
  /// Its constructor alone gives the attribute a value, once, and no class above it or below it does. `setattr` is not
  /// asked.
  bool stays = false;
};

/// `x` of `self.x` and `getattr(self, "x", …)`; empty for others.
std::string_view attribute_of_self(const python::Node& node);
/// The first of the class and those above it, in the order of lookup, that declares the field in its body; else none.
program::ClassId declaring_class(const program::Program& program, program::ClassId cls, std::string_view field);
/// The class that declares the setting which `read` (`config.name`, or `self.config.name` of a configuration that the
/// constructor is given and keeps) reads, of those that the parameter's annotation names (`config: Config`); none where
/// there is no such annotation.
program::ClassId class_declaring(const program::Program& program, program::FunctionId function,
                                 const python::Expr& read, std::string_view name);

/// The setting that `config.optimizer.x` reads: a field of a part of a configuration, whose class the field `optimizer`
/// of a configuration is declared to have. Of several such classes `declared_by` is none.
HeldSetting setting_of_part(const program::Program& program, const python::Node& node);

/// How often the class's own code gives `self.name` a value.
std::size_t times_set(const program::Class& cls, std::string_view name);

/// The setting that `self.x` or `getattr(self, "x", …)` holds in code of the class. Where the class only declares the
/// attribute, those below it say, if they agree.
HeldSetting setting_held_by(const program::Program& program, program::ClassId cls, const python::Node& node);

}  // namespace lockstep::report
