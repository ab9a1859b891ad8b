// Calls with constants -> whether a function that is entered through them can go on to another of its calls at all:
// `f(x, quick=True)` never gets past `if quick: return` in `f`, whoever hands the `True` on. Only what Python's
// semantics fix: constants and defaults of parameters that nothing assigns another value, what `*args` and `**kwargs`
// pass on, locals and calls of small functions that follow from these, `not`, `and`, `or`, comparisons with constants,
// and what a branch around a call asks an argument of it to be equal to.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"
#include "report/source/defaults.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

/// What a parameter is on a way, and the number of the call on it that fixed the value.
struct KnownValue {
  Value value;
  std::size_t step = 0;
  bool is_lost = false;  ///< Unknown since that call: whether it passes a value there does not show in the code.
  Value by_default;      ///< Of a lost one: what it is where that call passes none; may be unknown.
};

/// A parameter that a call lost, and the number of the call.
struct LostValue {
  std::string_view parameter;
  std::size_t step = 0;
};

/// What is known inside a function on a way.
struct KnownValues {
  std::map<std::string_view, KnownValue> named;  ///< Parameters: known ones, and lost ones that have a default.
  /// What `*args` and `**kwargs` hold; values may be unknown. Nothing where not all that they hold is known.
  std::optional<std::vector<KnownValue>> positional;
  std::optional<std::map<std::string_view, KnownValue>> keywords;
  std::size_t absent_since = 0;         ///< The call that fixed what these two do not hold.
  bool is_entered_from_around = false;  ///< By the function that it is defined in: what that one knows is in `named`.
};

/// What gives a local a value: the value of a plain `name = value`; null for others (loops, `with`, `del`, an
/// unpacking, an import, a handler, a pattern, a nested definition). And where it stands.
struct LocalBinding {
  const python::Expr* value = nullptr;
  Span place;
};
using LocalBindings = std::unordered_map<std::string_view, std::vector<LocalBinding>>;

/// What the branches around a call ask something to be equal to, by its dotted text: "args.format" -> "torch".
using AskedValues = std::map<std::string, Value, std::less<>>;

/// Not for several threads at once: it keeps what it found out about functions.
class PathConstants {
 public:
  explicit PathConstants(const program::Program& program) : program_(program), signatures_(program) {}

  /// What holds in `callee` where call number `step`, `entering`, enters it from a function in which `of_caller` holds.
  [[nodiscard]] KnownValues values_into(const program::CallSite& entering, program::FunctionId callee,
                                        const KnownValues& of_caller, std::size_t step) const;

  /// The earliest call that fixed a value with which `function` does not get to `next`, a call in it; none where
  /// nothing known stands against it.
  [[nodiscard]] std::optional<std::size_t> ruled_out_by(program::FunctionId function, const KnownValues& known,
                                                        const program::CallSite& next) const;
  /// The same of any place in it.
  [[nodiscard]] std::optional<std::size_t> ruled_out_by(program::FunctionId function, const KnownValues& known,
                                                        Span place) const;
  /// The earliest call that passes nothing that shows, so that `function` does not get to the place with its defaults;
  /// none where it may.
  [[nodiscard]] std::optional<std::size_t> ruled_out_by_default(program::FunctionId function, const KnownValues& known,
                                                                Span place) const;
  /// The lost values on which it depends whether `function` gets to the place.
  [[nodiscard]] std::vector<LostValue> lost_at(program::FunctionId function, const KnownValues& known,
                                               Span place) const;

  /// Whether the condition holds inside `function`, by what is known there of its parameters; none where that does not
  /// decide it.
  [[nodiscard]] std::optional<bool> holds_in(program::FunctionId function, const KnownValues& known,
                                             const python::Expr& condition) const;

  /// What `target` accepts at the call; nothing where that cannot be told.
  [[nodiscard]] std::optional<rules::Signature> signature_of(const program::CallSite& site,
                                                             const program::CallTarget& target) const;

 private:
  /// What is known inside one function, and how deep the question is.
  struct Inside {
    program::FunctionId function;
    const KnownValues& known;
    int depth = 0;
  };
  struct Passed;

  [[nodiscard]] KnownValue value_at(const python::Expr* expression, const Inside& inside, std::size_t step) const;
  [[nodiscard]] KnownValue value_of_call(const python::Call& call, const Inside& inside, std::size_t step) const;
  [[nodiscard]] std::optional<KnownValue> value_in_keywords(const python::Call& call, const Inside& inside,
                                                            std::size_t step) const;
  [[nodiscard]] bool is_left_out_of(program::FunctionId function, std::string_view id) const;
  [[nodiscard]] std::optional<bool> holds(const python::Expr& condition, const Inside& inside) const;
  [[nodiscard]] std::size_t earliest_in(const python::Expr& condition, const Inside& inside) const;
  [[nodiscard]] std::optional<std::vector<std::string_view>> keys_spread(const python::Expr* expression,
                                                                         const Inside& inside) const;
  [[nodiscard]] Passed passed_by(const python::Call& call, const Inside& inside, std::size_t step) const;
  [[nodiscard]] const AskedValues& asked_around(const python::Call& call, program::FunctionId function) const;
  [[nodiscard]] KnownValue argument_value(const python::Expr* argument, const python::Call& call, const Inside& inside,
                                          std::size_t step) const;
  [[nodiscard]] KnownValues bound(const python::FunctionDef& def, const rules::Signature& signature,
                                  const Passed& passed, std::size_t step) const;
  void drop_assigned(program::FunctionId function, KnownValues& known) const;
  /// Whether something was taken out.
  bool drop_assigned_once(program::FunctionId function, KnownValues& known, bool is_first) const;

  [[nodiscard]] const LocalBindings& bindings_in(const python::FunctionDef& def) const;

  const program::Program& program_;
  const rules::Signatures signatures_;
  mutable std::unordered_map<const python::FunctionDef*, LocalBindings> bindings_;
  mutable std::unordered_map<const python::Call*, AskedValues> asked_;
};

}  // namespace lockstep::report
