// An expression that differs from another in one operand of an `and` or `or` that it has more: only that is evaluated
// anew, and only where the operands before it leave it to.
#pragma once

#include "python/tree.h"
#include "text/source.h"

namespace lockstep::report {

/// The operand that `is` has more than `was`, at whatever depth of `and`, `or` and `not`; null where more differs, or
/// nothing.
const python::Expr* added_operand(const python::Expr& was, const SourceText& before, const python::Expr& is,
                                  const SourceText& after);

}  // namespace lockstep::report
