// Settings that code outside tests, tools and examples gives another value than the declared one, after they were
// declared: of them a default says nothing. By attribute name alone: whose attribute it is does not show.
#pragma once

#include <optional>
#include <set>
#include <string_view>

#include "program/program.h"
#include "report/source/defaults.h"

namespace lockstep::report {

class StoredSettings {
 public:
  /// Both must outlive it. Reads the program when first asked.
  StoredSettings(const program::Program& program, const Defaults& defaults) : program_(program), defaults_(defaults) {}

  bool contains(std::string_view name);
  /// Whether the condition reads one.
  bool are_read_in(const python::Expr& condition);
  /// Whether it reads one that is set to something that code works out.
  bool are_computed_in(const python::Expr& condition);

 private:
  void find();
  void note(program::ModuleId module, const python::Stmt& statement);
  void note_target(program::ModuleId module, const python::Expr& target, const python::Expr* value);
  void note_call(program::ModuleId module, const python::Call& call);
  void note_value(program::ModuleId module, std::string_view name, const python::Expr* value, Span place);
  [[nodiscard]] bool is_own_setting(program::ModuleId module, const python::Attribute& target) const;
  [[nodiscard]] bool is_not_reached(program::ModuleId module, Span place) const;
  [[nodiscard]] bool is_set_already(program::ModuleId module, Span place, std::string_view name) const;
  [[nodiscard]] bool has_failing_guard(program::FunctionId function, Span place, std::string_view name) const;

  const program::Program& program_;
  const Defaults& defaults_;
  using Names = std::set<std::string_view>;
  std::optional<Names> names_;
  Names computed_;
};

/// Declared defaults, and which of them code sets to something else.
struct DeclaredSettings {
  explicit DeclaredSettings(const program::Program& program) : defaults(program), stored(program, defaults) {}
  DeclaredSettings(const DeclaredSettings&) = delete;
  DeclaredSettings& operator=(const DeclaredSettings&) = delete;

  Defaults defaults;
  StoredSettings stored;
};

}  // namespace lockstep::report
