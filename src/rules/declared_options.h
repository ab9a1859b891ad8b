// Command-line flags of a program (`add_argument` of argparse and its like) by destination, and the fields of its
// dataclasses by name. Linked program in, tables out; tests are left out.
//
// Left out: flags whose names are computed, and parsers built from a class (counted in `generated_from`: their fields
// are flags too).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "program/program.h"

namespace lockstep::rules {

struct Flag {
  const python::Call* call = nullptr;
  program::ModuleId module;
  const python::Expr* default_value = nullptr;  ///< As written; null where there is none.
  std::string_view action;                      ///< "store_true", …; empty where there is none.
  bool takes_many = false;                      ///< nargs="+" or "*": the value is a list.
};

struct ConfigField {
  program::ClassId cls;
  const program::Field* field = nullptr;
};

class DeclaredOptions {
 public:
  explicit DeclaredOptions(const program::Program& program);

  [[nodiscard]] const std::map<std::string, std::vector<Flag>, std::less<>>& flags() const { return flags_; }
  [[nodiscard]] const std::map<std::string_view, std::vector<ConfigField>>& fields() const { return fields_; }
  [[nodiscard]] const std::vector<Flag>* flag(std::string_view name) const;
  [[nodiscard]] const std::vector<ConfigField>* field(std::string_view name) const;

 private:
  void add_flag(program::ModuleId module, const python::Call& call);

  std::map<std::string, std::vector<Flag>, std::less<>> flags_;
  std::map<std::string_view, std::vector<ConfigField>> fields_;
};

/// Flags that code hands on without their names: by what they start with (`{k: v for k, v in vars(args).items() if
/// k.startswith("rollout_")}`), or all at once (`Config(**vars(args))`) in the file that declares them.
class ForwardedFlags {
 public:
  explicit ForwardedFlags(const program::Program& program);
  /// `destination`: of a flag that `module` declares.
  [[nodiscard]] bool forwards(program::ModuleId module, std::string_view destination) const;

 private:
  void look_at(program::ModuleId module, const python::Node& function);

  std::vector<std::string> prefixes_;  ///< With underscores.
  std::unordered_set<program::ModuleId> spread_in_;
};

/// The names that any file of a program reads or writes as an attribute, names as a string, or passes as a keyword.
class UsedNames {
 public:
  explicit UsedNames(const program::Program& program);
  [[nodiscard]] bool reads_attribute(std::string_view name) const { return has(read_, name); }
  [[nodiscard]] bool writes_attribute(std::string_view name) const { return has(written_, name); }
  [[nodiscard]] bool has_text(std::string_view name) const { return has(texts_, name); }
  [[nodiscard]] bool has_keyword(std::string_view name) const { return has(keywords_, name); }
  [[nodiscard]] bool has_parameter(std::string_view name) const { return has(parameters_, name); }

 private:
  using Names = std::unordered_set<std::string_view>;
  static bool has(const Names& names, std::string_view name) { return names.contains(name); }
  Names read_, written_, texts_, keywords_, parameters_;
};

}  // namespace lockstep::rules
