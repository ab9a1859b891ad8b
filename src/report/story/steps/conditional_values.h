// A value that comes to depend on a condition, or no longer does: `x` -> `y if c else x`, `x if c else None` -> `x`.
#pragma once

#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// "`y` where `c` is set" of `y if c else x` where `x` stood, whichever side the old value is on, also of operands of
/// one `and` or `or` ("`x` where …, and `y` where …"); empty for others.
std::string values_under_conditions(const python::Expr& before, const SourceText& before_source,
                                    const python::Expr& after, const SourceText& after_source);

/// "`x` also when `c` is not set, where it was `None`" of `x` where `x if c else None` stood, whichever side stays;
/// empty for others.
std::string value_without_condition(const python::Expr& before, const SourceText& before_source,
                                    const python::Expr& after, const SourceText& after_source);

/// "gives `k` of `f` the value `x` also when …" of two calls that differ in this alone: one keyword argument loses or
/// gains a condition. Empty for others. `callee`: how the call is named.
std::string conditional_argument_words(const python::Call& before, const SourceText& before_source,
                                       const python::Call& after, const SourceText& after_source,
                                       const std::string& callee);

}  // namespace lockstep::report
