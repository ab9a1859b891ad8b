// What the code outside tests declares under each name that may be a setting: fields of classes and command-line
// arguments, with their defaults and the modules that write the name.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "program/program.h"
#include "report/source/defaults.h"

namespace lockstep::report {

/// Ask for Program::derived<NamedSettings>().
class NamedSettings {
 public:
  struct Setting {
    std::optional<Value> initial;                 ///< Its default.
    bool is_one = true;                           ///< All declarations have the same known default.
    std::vector<program::ModuleId> modules = {};  ///< That write the name, as such or as an option, tests among them.
  };

  explicit NamedSettings(const program::Program& program);
  /// Null where declarations disagree, or none is known.
  [[nodiscard]] const Setting* find(const std::string& name) const;

 private:
  void find_names(const program::Program& program);
  void find_modules(const program::Program& program);

  std::unordered_map<std::string, Setting> by_name_;
};

}  // namespace lockstep::report
