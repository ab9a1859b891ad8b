// What one call gives the parameters of the function that it enters, as far as it shows: constants, defaults, and that
// something is not None. Handed on from call to call, it closes branches that no run takes on that way.
#pragma once

#include <map>
#include <string_view>

#include "program/program.h"
#include "report/source/defaults.h"
#include "rules/syntax/guards.h"

namespace lockstep::report {

/// What is known of a parameter.
struct BoundArgument {
  Value value;               ///< kUnknown where it is no constant.
  bool is_not_none = false;  ///< A list, a call's result that is written out: whatever it is, it is something.
};
/// By parameter; those of which nothing is known are missing.
using BoundArguments = std::map<std::string_view, BoundArgument>;

/// What `site`, a call in a function of which `known` holds, gives the parameters of `callee`. Parameters that the
/// callee gives another value are left out; a number that it only turns into a `float` stays what it is.
BoundArguments bound_by(const program::Program& program, const program::CallSite& site, program::FunctionId callee,
                        const BoundArguments& known);

/// Whether what stands at `place` in the function is never reached with these arguments.
bool is_ruled_out(const program::Program& program, program::FunctionId function, Span place,
                  const BoundArguments& known);

/// Whether the condition of a branch of the function holds in any case with these arguments.
bool holds_surely(const program::Program& program, program::FunctionId function, const rules::Guard& guard,
                  const BoundArguments& known);

}  // namespace lockstep::report
