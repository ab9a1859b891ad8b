// A choice whose arms changed places: what stood under `if` stands under `else` now, or in the function that is called
// there, and the other way round.
#pragma once

#include "python/tree.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

/// Whether the code of the old `if` is much more like that of the new `else`, and that of the old `else` like the new
/// `if`, than each is like the one in its own place. Of a call that surely enters one function of the repository the
/// code of that function counts as well. False where one of the two has no `else`.
bool arms_change_places(const python::If& before, const WordsContext& before_context, const python::If& after,
                        const WordsContext& after_context);

}  // namespace lockstep::report
