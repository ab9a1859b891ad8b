// undefined-name, of modules: imports of names that a module of the program does not define, of modules that are no
// longer where they were, and attributes of modules that are not there.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "change/change.h"
#include "program/program.h"
#include "rules/finding.h"
#include "rules/hits.h"
#include "rules/names/module_names.h"
#include "rules/names/names.h"
#include "rules/syntax/statement_index.h"

namespace lockstep::rules {

/// A hit (hits.h), and the decision that leads to it.
struct NameHit {
  std::string key;
  Finding finding;
  std::string cause{};    ///< Equal for the names of one side that one decision leaves without a value; or empty.
  std::string subject{};  ///< With a cause: the name.
  StatementPlace place{};
};

/// Finds what code asks of the modules of one program that they do not have.
class ModuleMembers {
 public:
  /// `before` and `change`: the program that the change started from, and the change; null where there is none. Only
  /// with them it is certain that a module was Python code and is gone: a module that no source shows may be compiled,
  /// or be generated when the package is built.
  ModuleMembers(const program::Program& program, const ModuleNames& names, const program::Program* before = nullptr,
                const change::Change* change = nullptr)
      : program_(program), modules_(names), before_(before), change_(change) {}

  /// Appends what is wrong with the imports of the module `id`, and with its uses of modules.
  void check(program::ModuleId id, std::vector<NameHit>& hits) const;

  /// True if the module, or one that it imports from, is in `changed`.
  [[nodiscard]] bool may_differ(program::ModuleId id, const ChangedModules& changed) const;

 private:
  /// What was said of the members of modules in one file, and the names that it has as texts.
  struct Told {
    std::set<std::pair<program::FunctionId, std::string_view>> members;
    std::optional<std::unordered_set<std::string_view>> texts;

    /// True if hasattr or getattr may ask for the name.
    bool asks(const python::FileFacts& facts, std::string_view name);
  };

  bool check_import(program::ModuleId id, const python::ImportedName& import, std::vector<NameHit>& hits) const;
  void describe_missing(program::ModuleId target, std::string_view name, ModuleNames::Answer answer,
                        Finding& finding) const;

  [[nodiscard]] program::ModuleId package_of_missing(program::ModuleId id, const python::ImportedName& import) const;
  void check_moved(program::ModuleId id, const python::ImportedName& import, std::vector<NameHit>& hits) const;
  [[nodiscard]] program::ModuleId moved_to(std::string_view full, std::string_view name) const;
  [[nodiscard]] bool stands_under_condition(program::ModuleId id, Span place) const;
  /// What the change does to files: read when first asked for.
  struct ChangedPaths {
    explicit ChangedPaths(const change::Change& change);

    std::set<std::string_view> present;     ///< Files that it writes, by their paths after it.
    std::set<std::string_view> taken_away;  ///< Paths that it deletes or renames.
    /// Names of files of other languages that it takes away, and of the folders that they were in.
    std::unordered_set<std::string_view> compiled;
    /// Names of files that are no Python source, and names of modules that lines added to such files mention.
    std::unordered_set<std::string_view> named_elsewhere;
  };
  [[nodiscard]] const ChangedPaths& changed_paths() const;
  [[nodiscard]] bool has_substitute(std::string_view path) const;
  [[nodiscard]] bool was_compiled(std::string_view name) const;
  [[nodiscard]] bool is_taken_away(std::string_view path) const;
  [[nodiscard]] bool is_named_by_other_files(std::string_view name) const;
  [[nodiscard]] bool lies_beside(program::ModuleId id, const std::string& full) const;
  [[nodiscard]] bool may_be_made(const std::string& full) const;
  [[nodiscard]] bool package_makes_modules(const std::string& top) const;
  /// What the texts of all sources name: read when first asked for.
  struct NamedInTexts {
    explicit NamedInTexts(const program::Program& program);

    std::unordered_set<std::string_view> whole;  ///< Texts that are one dotted name, and nothing else.
    /// Names of files and modules: the last word of a text, and what stands before `.py`, `.so`, `.cu`, `.cpp`, ….
    std::unordered_set<std::string_view> files;
  };
  [[nodiscard]] const NamedInTexts& named_in_texts() const;
  [[nodiscard]] bool has_other_import(program::ModuleId id, const python::ImportedName& import) const;

  void check_attributes(program::ModuleId id, std::vector<NameHit>& hits) const;
  [[nodiscard]] std::unordered_set<std::string_view> names_of_modules(program::ModuleId id) const;
  [[nodiscard]] program::ModuleId module_named(program::ModuleId id, const ScopeNames& names, const NameUse& use) const;
  [[nodiscard]] program::ModuleId module_of_import(program::ModuleId id, const python::Binding& binding) const;
  void check_member(program::ModuleId id, program::ModuleId target, const python::Attribute& attribute, Told& told,
                    std::vector<NameHit>& hits) const;

  const program::Program& program_;
  const ModuleNames& modules_;
  const program::Program* before_;
  const change::Change* change_;

  // Answers about the whole program, found when first asked for: many files may import the same module.
  mutable std::unordered_map<std::string_view, std::vector<program::ModuleId>> by_last_part_;
  mutable std::unordered_map<std::string, program::ModuleId> moved_;  ///< By "module name".
  mutable std::unordered_map<std::string, bool> made_;                ///< By the name of the module.
  mutable std::unordered_map<std::string, bool> makers_;              ///< By the name of the top package.
  mutable std::optional<NamedInTexts> texts_;
  mutable std::optional<ChangedPaths> changed_paths_;
  mutable std::unordered_map<program::ModuleId, StatementIndex> statements_;
};

}  // namespace lockstep::rules
