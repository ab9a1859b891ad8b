// A new branch around what was there: `if c: x = f()` with an `else: x = g()` that stood there before. Where `c` holds
// the one takes the place of the other; it comes to nothing more.
#pragma once

#include "report/story/story.h"

namespace lockstep::report {

/// The call that stood alone before in the place of the new step `index`, and is still made where its branch is not
/// taken: both give the same targets their value, or both are returned. Null where there is none.
const python::Call* kept_alternative(const std::vector<Step>& after, std::size_t index);

}  // namespace lockstep::report
