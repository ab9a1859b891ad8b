// Functions that calls give to parameters, followed from where a parameter is called back to where it got its value:
//   def schedule(step, x): return forward(step, x)
//   def forward(step, x): return step(x)
//   schedule(train_step, x)                        # enters train_step there, and nothing else
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "program/program.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

/// A parameter that has to hold a function for a way to go on as it does.
struct HeldFunction {
  program::FunctionId owner;   ///< Whose parameter it is: the function that goes on, or one around it.
  std::string_view parameter;  ///< Or a name under which its `**kwargs` hold it.
  program::FunctionId function;

  using Key = std::tuple<std::uint32_t, std::string_view, std::uint32_t>;
  [[nodiscard]] Key key() const { return {owner.value, parameter, function.value}; }
};

class GivenFunctions {
 public:
  explicit GivenFunctions(const program::Program& program) : program_(program), signatures_(program) {}

  /// What has to hold for the call to enter `callee`: where it calls a parameter that nothing else is bound to, and may
  /// enter other functions, too. None for others.
  std::optional<HeldFunction> asked_by(program::CallId call, program::FunctionId callee);

  /// What is asked of the function that makes `entering`, which enters `callee`, where `callee` goes on as it does only
  /// with `asked`.
  struct Answer {
    bool fits = true;                  ///< False: it gives another function.
    std::optional<HeldFunction> asks;  ///< Of its own parameters; none where what it gives is known, or is not seen.
  };
  Answer across(program::CallId entering, program::FunctionId callee, const HeldFunction& asked);

 private:
  struct Source {
    program::FunctionId function;  ///< The function that the expression stands for, or
    program::FunctionId owner;     ///< whose parameter it is; neither where that is not known.
    std::string_view parameter;
  };
  [[nodiscard]] Source source_of(program::FunctionId at, const python::Expr& value, int depth) const;
  [[nodiscard]] Source source_of_name(program::FunctionId at, const python::Name& name) const;
  [[nodiscard]] program::FunctionId handing_on(program::FunctionId caller, const python::Call& call,
                                               std::string_view name) const;
  [[nodiscard]] Source given_by(program::CallId entering, program::FunctionId callee, std::string_view parameter) const;

  const program::Program& program_;
  const rules::Signatures signatures_;
  std::unordered_map<std::uint32_t, Source> called_;                                    ///< By call.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string_view>, Source> given_;  ///< By call, callee, parameter.
};

}  // namespace lockstep::report
