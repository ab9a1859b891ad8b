// Names under which a program replaces functions from outside their definitions: `module.f = …`, `self.method = …`.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "program/program.h"

namespace lockstep::rules {

class ReplacedNames {
 public:
  explicit ReplacedNames(const program::Program& program) : program_(program) {}

  /// True if something stores an attribute of this name. The first names look at the files that hold them alone; where
  /// there are many, one reading of all files is less work.
  [[nodiscard]] bool has(std::string_view name) const;

 private:
  [[nodiscard]] bool is_stored(std::string_view name) const;

  const program::Program& program_;
  mutable std::unordered_map<std::string_view, bool> known_;
  mutable std::optional<std::unordered_set<std::string_view>> all_;
};

}  // namespace lockstep::rules
