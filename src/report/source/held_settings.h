// Attributes of `self` that hold a setting: `self.enable = config.enable` in `__init__`.
#pragma once

#include <string_view>

#include "program/program.h"

namespace lockstep::report {

struct HeldSetting {
  std::string_view name;         ///< Of the setting; empty: none.
  program::ClassId declared_by;  ///< Whose field it is, where the configuration's annotation says so.
  bool stays = false;            ///< Nothing else in the class gives the attribute a value.
};

/// The setting that `self.x` or `getattr(self, "x", …)` holds in code of the class. Where the class only declares the
/// attribute, those below it say, if they agree.
HeldSetting setting_held_by(const program::Program& program, program::ClassId cls, const python::Node& node);

}  // namespace lockstep::report
