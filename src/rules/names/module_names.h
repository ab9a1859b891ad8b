// What a module of the program offers to those who import it: the names its code binds, its submodules, what its star
// imports bring. Says "unknown" wherever a module can have names that its source does not show.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "program/program.h"
#include "repo/snapshot.h"

namespace lockstep::rules {

class ModuleNames {
 public:
  /// `files`: all files of the program, of which some may be compiled into modules; null where they are not at hand.
  explicit ModuleNames(const program::Program& program, const repo::Snapshot* files = nullptr);

  enum class Answer : std::uint8_t { kYes, kNo, kOnlyTypeChecking, kUnknown };
  /// Whether `module` has an attribute `name` at run time.
  [[nodiscard]] Answer has(program::ModuleId module, std::string_view name) const;
  /// The module that an import names, seen from `from`; none where it is not one file of the program.
  [[nodiscard]] program::ModuleId imported_module(program::ModuleId from, std::uint32_t level,
                                                  std::string_view dotted) const;
  /// True if something outside a file assigns an attribute of this name (`module.name = …`), or `builtins.name`.
  [[nodiscard]] bool is_assigned_as_attribute(std::string_view name) const;
  /// True if any import names `module`.`name` as a module: a package that a link leads to, or that is compiled.
  /// Importing it makes it an attribute of `module`.
  [[nodiscard]] bool is_imported_as_module(program::ModuleId module, std::string_view name) const;
  /// True if a star import of the file may bring names that cannot be listed.
  [[nodiscard]] bool has_opaque_star_import(program::ModuleId module) const;
  /// True if a star import of the file brings `name`.
  [[nodiscard]] bool star_imports_name(program::ModuleId module, std::string_view name) const;
  /// Modules that define a top-level function or class `name`, by dotted name.
  [[nodiscard]] std::vector<std::string_view> definers(std::string_view name) const;

 private:
  struct Entry {
    std::unordered_map<std::string_view, bool> names;  ///< Name -> bound under TYPE_CHECKING only.
    std::vector<program::ModuleId> stars;              ///< Star-imported modules of the program.
    bool opaque_star = false;
    bool has_getattr = false;
  };
  void fill(program::ModuleId id);
  /// __getattr__, globals() tricks, sys.modules, broken source: names that the source does not show.
  [[nodiscard]] bool is_dynamic(program::ModuleId id) const;
  [[nodiscard]] Answer has_within(program::ModuleId module, std::string_view name, int depth) const;
  /// Whether the folder of a package holds something else that may be imported as `name`: `name.pyx`, `name.so`, a
  /// link, a folder without an `__init__.py`; or any folder a file from which a build may make it.
  [[nodiscard]] bool may_be_other_file(program::ModuleId module, std::string_view name) const;

  const program::Program& program_;
  const repo::Snapshot* files_;
  std::vector<Entry> entries_;
  // Answers that need a look at the whole program; found out when first asked.
  mutable std::unordered_map<program::ModuleId, bool> dynamic_;
  mutable std::unordered_map<std::string_view, bool> assigned_;  ///< By name.
  mutable std::unordered_map<program::ModuleId, std::unordered_set<std::string_view>> stored_attributes_;
  mutable std::optional<std::unordered_set<std::string_view>> compiled_;
  mutable std::optional<std::unordered_set<std::string>> imported_names_;  ///< Absolute, packages above them too.
};

}  // namespace lockstep::rules
