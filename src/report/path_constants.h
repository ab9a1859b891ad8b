// Calls with constants -> whether a function that is entered through them can go on to another of its calls at all:
// `f(x, quick=True)` never gets past `if quick: return` in `f`, whoever hands the `True` on. Only what Python's
// semantics fix: constants and defaults of parameters that nothing assigns anew, `not`, `and`, `or`, comparisons with
// constants.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>

#include "program/program.h"
#include "report/story_defaults.h"
#include "rules/signatures.h"

namespace lockstep::report {

/// What a parameter is on a way, and the number of the call on it that fixed the value.
struct KnownValue {
  Value value;
  std::size_t step = 0;
};
using KnownValues = std::map<std::string_view, KnownValue>;

/// What the parameters of `callee` are where call number `step`, `entering`, enters it from a function in which
/// `of_caller` holds.
KnownValues values_into(const program::Program& program, const rules::Signatures& signatures,
                        const program::CallSite& entering, program::FunctionId callee, const KnownValues& of_caller,
                        std::size_t step);

/// The earliest call that fixed a value with which `function` does not get to `next`, a call in it; none where nothing
/// known stands against it.
std::optional<std::size_t> ruled_out_by(const program::Program& program, program::FunctionId function,
                                        const KnownValues& known, const program::CallSite& next);
/// The same of any place in it.
std::optional<std::size_t> ruled_out_by(const program::Program& program, program::FunctionId function,
                                        const KnownValues& known, Span place);

}  // namespace lockstep::report
