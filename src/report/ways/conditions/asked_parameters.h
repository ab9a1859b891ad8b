// Calls that stand in branches which ask for a parameter that is off unless it is given (`def f(x, check=False)`,
// `if check: g()`): who calls `f` without it does not get to `g`.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// Parameters of the function that are off by default and have to be given for a place in it to run.
std::vector<std::string_view> parameters_wanted_at(const python::FunctionDef& function, Span place);

class AskedParameters {
 public:
  explicit AskedParameters(const program::Program& program) : program_(program) {}

  /// Parameters of the function that makes the call which have to be given, other than by their defaults, for it to be
  /// made.
  const std::vector<std::string_view>& of(program::CallId call) const;

  /// Whether `call` may give `callee` all of `asked`. What it takes from a parameter of its own function that is off,
  /// too, is added to `forwarded`.
  [[nodiscard]] bool may_give(program::CallId call, program::FunctionId callee,
                              const std::vector<std::string_view>& asked,
                              std::vector<std::string_view>& forwarded) const;

 private:
  [[nodiscard]] bool imports_or_none(const program::CallSite& site, const python::Expr& callee) const;
  [[nodiscard]] bool passes_to(const program::CallSite& site, const python::Call& call,
                               program::FunctionId callee) const;

  const program::Program& program_;
  mutable std::unordered_map<std::uint32_t, std::vector<std::string_view>> known_;
};

}  // namespace lockstep::report
