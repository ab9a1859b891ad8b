// Statements that stood there before, and that stand under something new now: a condition, a loop, a `with`.
//   f(x)              if c:
//   g(x)     ->           f(x)
//                         g(x, more)
//                         h(x)
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// The steps of the before side that are no part of any branch of their own block, which now stand right in the new
/// block `index` of the after side, as they were or edited; none where a way out before them may have asked the same.
std::vector<std::size_t> stood_outside(const StepComparison& steps, std::size_t index);

/// "; before, without that condition: `f(x)` and `g(x)`" of a new branch, loop or `with` which holds such steps and
/// others; "; before, these steps stood without that condition" where it holds no others and
/// none is edited; empty for other steps.
std::string stood_outside_words(const StepComparison& steps, std::size_t index);

/// Whether what a new branch holds was done in any case before, and is more than a local or a message.
bool guards_work_that_was_done(const StepComparison& steps, std::size_t index);

/// The condition of the new branch around a changed step that stood outside of it before; null for other steps.
const python::Expr* newly_asked_around(const StepComparison& steps, std::size_t index);

/// Whether a `with` only names or measures what runs in it: `nvtx_range("x")`, `record_function("x")`, `timer`.
bool only_measures(const Step& step);

}  // namespace lockstep::report
