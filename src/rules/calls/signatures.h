// What a function of the repository accepts, and whether a call fits it, as Python binds arguments to parameters.
// Unknown lengths (`*args`, `**kwargs` at the call) excuse what they may supply.
//
// Left out: functions whose decorators may change the signature (see is_transparent), properties, metaclasses.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace lockstep::rules {

/// One parameter as callers see it.
struct AcceptedParameter {
  std::string_view name;
  python::Parameter::Kind kind = python::Parameter::Kind::kPositionalOrKeyword;
  bool has_default = false;
};

/// Parameters that a call has to fit, without those that Python fills in (self, cls, ctx).
struct Signature {
  std::vector<AcceptedParameter> parameters;

  [[nodiscard]] bool takes_any_keyword() const;
  [[nodiscard]] bool takes_any_position() const;
  [[nodiscard]] const AcceptedParameter* find(std::string_view name) const;
};

/// Why a call does not fit.
struct Mismatch {
  enum class Kind : std::uint8_t { kMissing, kTooMany, kUnknownKeyword, kDuplicate, kPositionalOnly };
  Kind kind = Kind::kMissing;
  std::vector<std::string_view> names;  ///< The parameters or keywords concerned.
  std::size_t given = 0;                ///< kTooMany: positional arguments given, and
  std::size_t accepted = 0;             ///< how many are accepted.
};

/// Nullopt where the call fits, or may fit. `spread`: the only names that `**options` of the call can give; null where
/// these are not known.
std::optional<Mismatch> bind_arguments(const Signature& signature, const python::Call& call,
                                       const std::set<std::string_view>* spread = nullptr);
/// "missing `cp_group`", "unknown keyword `x`", "3 positional arguments, but 2 are accepted", …
std::string describe(const Mismatch& mismatch);

/// The parameter that positional argument number `index` of `call` goes to; null where it is not known or `*args`.
const AcceptedParameter* parameter_at(const Signature& signature, const python::Call& call, std::size_t index);

/// What a call gives to one parameter.
struct Given {
  enum class How : std::uint8_t { kNothing, kValue, kUnknown };
  How how = How::kUnknown;              ///< kUnknown: `*args` or `**kwargs` of the call may hold it.
  const python::Expr* value = nullptr;  ///< kValue: the argument, by name or by place; null otherwise.
};

/// What `call` gives to the parameter called `name`; unknown where the signature has none.
Given given_to(const Signature& signature, const python::Call& call, std::string_view name);

/// What a call gives a function that it is known to enter.
struct BoundCall {
  bool is_known = false;             ///< It enters this function and nothing else, and what that takes is known.
  std::optional<Mismatch> mismatch;  ///< What does not fit; nullopt where all does.
};

class Signatures {
 public:
  explicit Signatures(const program::Program& program) : program_(program) {}

  /// Plain parameters of a function, without the first `skip` ones. Nullopt for the module body.
  [[nodiscard]] std::optional<Signature> of_function(program::FunctionId function, std::size_t skip) const;
  /// What the target accepts from this call; nullopt where that cannot be told.
  [[nodiscard]] std::optional<Signature> of_target(const program::CallSite& site,
                                                   const program::CallTarget& target) const;
  /// Not known where a decorator may take more, or where another definition of the name may be meant.
  [[nodiscard]] BoundCall bind(const program::CallSite& site, program::FunctionId function) const;
  /// The generated `__init__` of a dataclass; nullopt where a field's part in it cannot be told.
  [[nodiscard]] std::optional<Signature> of_dataclass(program::ClassId cls) const;
  /// True if all decorators leave the signature as it is: known ones, and functions of the repository that return a
  /// wrapper with (*args, **kwargs) passing them on.
  [[nodiscard]] bool is_transparent(program::FunctionId function) const;
  /// True if the definition is the only one of its name in its scope, and nothing assigns an attribute of that name.
  [[nodiscard]] bool is_sole_definition(program::FunctionId function) const;
  [[nodiscard]] bool has_decorator(program::FunctionId function, std::string_view last_part) const;
  /// Length of the tuple that every `return` gives; nullopt where they differ or are not all tuples.
  [[nodiscard]] std::optional<std::size_t> returned_tuple(program::FunctionId function) const;

 private:
  [[nodiscard]] bool is_transparent_decorator(program::FunctionId context, const python::Expr& decorator) const;
  [[nodiscard]] bool passes_arguments_on(program::FunctionId decorator) const;
  bool add_dataclass_fields(program::ClassId cls, Signature& signature) const;

  const program::Program& program_;
};

/// Last part of a dotted name or call ("wraps" of `functools.wraps(f)`); empty for anything else.
std::string_view last_part_of(const python::Expr* expression);

}  // namespace lockstep::rules
