// What the context of an autograd function holds in its backward pass, as far as one call of `Function.apply(…)` shows:
// `ctx.flag = flag` of its `forward`, where the call gives `flag` a constant.
#pragma once

#include "program/program.h"
#include "report/source/bound_arguments.h"

namespace lockstep::report {

/// By attribute of the context: what `site`, a call in a function of which `known` holds, makes `backward` find there.
BoundArguments context_bound_by(const program::Program& program, const program::CallSite& site,
                                program::FunctionId backward, const BoundArguments& known);

/// Whether what stands at `place` in `backward` is never reached with that context.
bool is_ruled_out_by_context(const program::Program& program, program::FunctionId backward, Span place,
                             const BoundArguments& context);

}  // namespace lockstep::report
