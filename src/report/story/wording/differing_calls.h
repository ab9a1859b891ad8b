// Two values -> the calls in them that differ, where all around these is alike.
#pragma once

#include <utility>

#include "python/tree.h"
#include "text/source.h"

namespace lockstep::report {

/// Of `a | f(x)` and `a | f(x, y)` both calls of `f`; of two calls themselves these. Null where there are none, or
/// several.
std::pair<const python::Call*, const python::Call*> differing_calls(const python::Expr* before,
                                                                    const SourceText& before_source,
                                                                    const python::Expr* after,
                                                                    const SourceText& after_source);

}  // namespace lockstep::report
