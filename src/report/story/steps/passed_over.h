// A new early return of a function that was there -> the call behind it that a run does not come to then.
//   if is_requested: return                # new
//   requests.post(url, json=data)          # ran in any case
#pragma once

#include <cstddef>

#include "python/tree.h"
#include "report/story/steps/steps.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

/// Of a branch that the change adds and that leaves the function without a value, while what stands behind it in its
/// block stood there before: the call there that does most, a collective, code of the repository, or what a library
/// does beyond its result (sends, writes, waits), the last of the weightiest. Null where there is none, where the
/// branch refuses (raises, ends the program), and for other steps.
const python::Call* passed_over(const StepComparison& steps, std::size_t index, const WordsContext& context);

}  // namespace lockstep::report
