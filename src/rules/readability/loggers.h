// Whether an expression is a logger of the standard library, which formats with `%`: others (loguru, structlog, classes
// of a repository) take a text and values in ways of their own. Knows no rule.
//
// Left out: loggers that other packages hand out, and parameters without an annotation: not known to be one. In a
// program that gives `logging` a class of loggers or records of its own, none is known.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "program/program.h"
#include "rules/names/field_values.h"
#include "rules/names/names_of_modules.h"

namespace lockstep::rules {

/// Where the text stands among the arguments of a call of a logger's method: first, or behind the level. None of other
/// calls.
std::optional<std::size_t> place_of_text(const python::Attribute& method);

/// Finds the loggers of one program, which must outlive it.
class Loggers {
 public:
  explicit Loggers(const program::Program& program) : program_(program), fields_(program), names_(program) {}

  /// True for the module `logging`, and for what the source shows to be made by `logging.getLogger`: a name of a
  /// module, a local variable, a field of `self`, a function of the repository that returns one or says so in its
  /// annotation.
  bool is_standard(program::FunctionId function, const python::Expr& expression);

 private:
  /// What is asked of (a function, scope or class; a name in it or none), and how many steps may be gone from there.
  using Question = std::tuple<const void*, std::string, int>;

  bool remembered(const Question& question, const std::function<bool()>& answer);
  bool is_logger(program::FunctionId function, const python::Expr& expression, int steps);
  bool is_bound_to_logger(program::FunctionId function, python::ScopeId scope, std::string_view name, int steps);
  bool is_named_logger(program::FunctionId function, const python::Expr& expression, std::string_view name, int steps);
  bool is_logger_of_module(program::FunctionId function, const python::Expr& expression, int steps);
  bool gives_logger(program::FunctionId function, int steps);
  bool is_logger_field(program::FunctionId function, std::string_view name, int steps);
  [[nodiscard]] bool says_logger(program::FunctionId function, const python::Expr* annotation) const;

  const program::Program& program_;
  std::map<Question, bool> known_;
  FieldValues fields_;
  NamesOfModules names_;
  std::optional<bool> is_changed_;  ///< The program names setLogRecordFactory or setLoggerClass.
};

}  // namespace lockstep::rules
