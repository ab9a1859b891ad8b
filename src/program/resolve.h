// Names and dotted expressions -> the modules, classes, functions, variables or external symbols they stand for,
// through scopes, imports (relative, star, conditional), re-exports and plain aliases. What a variable holds at run
// time is left to value flow (flow/).
#pragma once

#include <string>
#include <string_view>

#include "program/index.h"
#include "program/program.h"

namespace lockstep::program {

class Resolver {
 public:
  /// Both must outlive the resolver; of `program`, only modules, functions and classes are read.
  Resolver(const Program& program, const Program::Index& index) : program_(program), index_(index) {}

  /// `expression` (Name, Attribute chain; subscripts such as Base[T] count as their value) seen from a scope.
  [[nodiscard]] Reference resolve(ModuleId module, python::ScopeId scope, const python::Expr& expression) const;
  /// "dist.all_reduce" seen from the module's level.
  [[nodiscard]] Reference resolve(ModuleId module, std::string_view dotted_text) const;
  /// A bare name seen from a scope.
  [[nodiscard]] Reference name(ModuleId module, python::ScopeId scope, std::string_view text) const;

  /// The module, namespace package (kModule without id, its dotted name in `name`) or external module that an absolute
  /// import of `dotted` in `importer` finds.
  [[nodiscard]] Reference import_module(ModuleId importer, std::string_view dotted) const;
  /// Absolute dotted name for `level` dots and `module` seen from `importer`; empty when there are too many dots.
  [[nodiscard]] std::string absolute_name(ModuleId importer, std::uint32_t level, std::string_view module) const;
  /// What `imported` (not a star-import) binds.
  [[nodiscard]] Reference imported(ModuleId importer, const python::ImportedName& imported) const;
  /// `name` as an attribute of a resolved module, class or external symbol.
  [[nodiscard]] Reference member(const Reference& owner, std::string_view name, ModuleId importer) const;

  /// Indices into the module scope's bindings that bind `name`: a range of ModuleNames.
  [[nodiscard]] std::span<const std::pair<std::string_view, std::uint32_t>> bindings_of(ModuleId module,
                                                                                        std::string_view name) const;
  /// The last binding of `name` in a scope, null for none, and how many there are.
  struct Bound {
    const python::Binding* last = nullptr;
    std::size_t count = 0;
  };
  [[nodiscard]] Bound bound_in(ModuleId module, python::ScopeId scope, std::string_view name) const;
  /// The import that an Alias node stands for; null if it is none of `module`.
  [[nodiscard]] const python::ImportedName* import_of(ModuleId module, const python::Node* alias) const;
  /// True if a star-import of `module` brings in `name`: listed in `__all__`, or without a leading underscore.
  [[nodiscard]] bool exports(ModuleId module, std::string_view name) const;

 private:
  [[nodiscard]] ModuleId sibling_in_package(ModuleId importer, std::string_view name) const;
  [[nodiscard]] Reference resolve_at(ModuleId module, python::ScopeId scope, const python::Expr& expression,
                                     int depth) const;
  [[nodiscard]] Reference name_at(ModuleId module, python::ScopeId scope, std::string_view text, int depth) const;
  [[nodiscard]] Reference module_symbol(ModuleId module, std::string_view name, int depth) const;
  [[nodiscard]] Reference member_at(const Reference& owner, std::string_view name, ModuleId importer, int depth) const;
  [[nodiscard]] Reference imported_at(ModuleId importer, const python::ImportedName& imported, int depth) const;
  [[nodiscard]] Reference star_symbol(ModuleId module, std::string_view name, int depth) const;
  [[nodiscard]] Reference binding_value(ModuleId module, python::ScopeId scope, const python::Binding& binding,
                                        int depth) const;

  const Program& program_;
  const Program::Index& index_;
};

/// True for the names of Python's `builtins` module.
bool is_builtin(std::string_view name);
/// Names listed in a literal `__all__` of `module` (assigned or `+=`), in the order of the source.
std::vector<std::string_view> dunder_all(const python::FileFacts& facts);

}  // namespace lockstep::program
