// Early returns that the conditions around a place do not tell: out of a loop, a `try` or a `with`.
//   if not rows: return          # told: the place runs where `rows` holds
//   for row in rows:
//       if row is None: return   # untold
//   assert len(rows) > 2
#pragma once

#include <vector>

#include "python/tree.h"
#include "rules/syntax/guards.h"

namespace lockstep::report {

/// Whether the function may return before the place in a way that `guards`, those of the place, do not tell.
bool may_return_untold(const python::FunctionDef& function, Span place, const std::vector<rules::Guard>& guards);

}  // namespace lockstep::report
