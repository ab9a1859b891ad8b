// A new early return of a function that was there -> the call behind it that a run does not come to then.
//   if is_requested: return                # new
//   requests.post(url, json=data)          # stood there before
#pragma once

#include <cstddef>
#include <vector>

#include "python/tree.h"
#include "report/story/steps/steps.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

/// Of a branch at the top level of a function that the change adds and that leaves it without a value: the call behind
/// it, in a statement at the top level that stood there before, that does most (a collective, code of the repository,
/// or what a library does beyond its result: sends, writes, waits), the last of the weightiest. Null where there is
/// none, where the branch refuses (raises, ends the program), and for other steps.
const python::Call* passed_over(const StepComparison& steps, std::size_t index, const WordsContext& context);

/// The same where the old version came to the call also when the condition of the branch held: what the condition asks
/// was there before, nothing up to the call named it, and nothing up to the call that could leave is gone. Null where
/// that does not show.
const python::Call* came_to_before(const StepComparison& steps, std::size_t index, const WordsContext& before,
                                   const WordsContext& after);

/// The first such call, and the branches that come before it now, `most` at most; null and none where there is none.
struct PassedOver {
  const python::Call* call = nullptr;
  std::vector<std::size_t> branches;  ///< Steps of the after side.
};
PassedOver first_passed_over(const StepComparison& steps, const WordsContext& before, const WordsContext& after,
                             std::size_t most);

}  // namespace lockstep::report
