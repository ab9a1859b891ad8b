// A constant that a changed function gives back in a case where it did not: `return ok, norm` where `ok` is `False` now.
// What its callers do with it, one level up: a flag means what those that ask for it do.
#pragma once

#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// "In callers: given `False`, `train_step` (`a.py:4`), where `ok` is not set, runs `skipped = 1` instead of `step()`."
/// Of `True`, `False` and `None`, given as the whole result or as one of a tuple, by a new or changed `return` or by
/// what sets the local that one gives. Told are unchanged branches outside tests that ask for it, at most two. Empty
/// where there is none.
std::string returned_flag_item(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
