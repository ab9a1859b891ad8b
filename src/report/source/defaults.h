// Declared defaults of configuration values, and whether a condition holds with them. Only what Python's semantics fix
// without running anything: constants, `not`, `and`, `or` and comparisons with constants.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "program/program.h"

namespace lockstep::report {

struct Value {
  /// kEmpty: a list, dictionary or set without items; only of declared defaults, since code may fill others.
  enum class Kind { kUnknown, kNone, kBool, kNumber, kText, kEmpty } kind = Kind::kUnknown;
  bool truth = false;
  std::string text;
};

/// Whether both are known and the same.
bool is_same_value(const Value& a, const Value& b);

/// Of a constant, and of `field(default=constant)`; unknown for others and null.
Value value_of(const python::Expr* expression);

/// What argparse gives for an `add_argument` where the command line says nothing; unknown for values that are computed,
/// for arguments that are required, and for actions that have one of their own (a named one that is not argparse's,
/// "version").
Value argument_default(const python::Call& call);

/// Whether two texts are the same number ("4" and "4.0"); none where one is no plain decimal number.
std::optional<bool> same_number(std::string_view a, std::string_view b);

/// `getattr(x, "name", …)`; null for anything else.
const python::Call* attribute_asked_for(const python::Node& node);
/// `config`, `self.model_config`, `args`: by its name a configuration.
bool is_configuration(const python::Expr& expression);
/// `name` of `config.name`, `self.config.name`, `args.name` and `getattr(args, "name", …)`; empty for others.
std::string_view config_attribute(const python::Node& node);

/// Whether the condition holds where parts of it are what `value_at` says (unknown for parts it does not know); none
/// where that does not decide it.
std::optional<bool> holds_with(const python::Expr& condition,
                               const std::function<Value(const python::Expr&)>& value_at);
/// The same where configuration values are what `lookup` says of their names.
std::optional<bool> holds(const python::Expr& condition, const std::function<Value(std::string_view)>& lookup);

/// Defaults of all configuration values of a program: fields of configuration classes, then command-line arguments.
class Defaults {
 public:
  explicit Defaults(const program::Program& program);
  [[nodiscard]] std::optional<bool> holds(const python::Expr& condition) const;
  /// Unknown where nothing of that name is declared, or where its default is computed.
  [[nodiscard]] Value value_of_name(std::string_view name) const;
  /// Whether it reads an attribute of which a command line of the product has another default than the class that
  /// declares it: what runs get is not what the class says.
  [[nodiscard]] bool differ_by_command_line(const python::Expr& condition) const;
  /// Of the field that the class itself declares; unknown where it declares none.
  [[nodiscard]] static Value declared_by(const program::Class& cls, std::string_view name);
  /// Whether the field is a part of a configuration, `None` where code does not put it in: `moe: MoE.Config | None`.
  static bool is_part(const program::Field& field);
  /// Whether the fields of the class are settings.
  static bool declares(const program::Class& cls);

 private:
  std::unordered_map<std::string, Value> values_;
  std::unordered_set<std::string> differing_;
};

}  // namespace lockstep::report
