// A dictionary that is written out before and after, of which single entries hold something else -> those entries.
#pragma once

#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// "sets `out["loss"]` to `x` instead of `y`", "sets … to `x` when `a` and `b`, formerly when `a`, else to `y`" for
/// values that a condition chooses: of two dictionaries with the same keys that `target` gets, `{…}` or `dict(…)`,
/// where at most three hold something else. Empty for others.
std::string entry_words(const python::Expr& before, const SourceText& before_source, const python::Expr& after,
                        const SourceText& after_source, const std::string& target);

}  // namespace lockstep::report
