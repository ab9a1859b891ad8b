// A constant that a changed function gives back in a case where it did not: `return ok, norm` where `ok` is `False`
// now. What its callers do with it, one level up: a flag means what those that ask for it do.
#pragma once

#include <string>
#include <vector>

#include "report/documents/risks.h"
#include "report/story/story.h"

namespace lockstep::report {

/// "In callers: given `False`, `train_step` (`a.py:4`), where `ok` is not set, runs `skipped = 1` instead of `step()`."
/// Of `True`, `False` and `None`, given as the whole result or as one of a tuple, by a new or changed `return` or by
/// what sets the local that one gives. Told are unchanged branches and assertions outside tests that ask for it, at
/// most two. Empty where there is none.
std::string returned_flag_item(const DocumentInputs& inputs, const Actor& actor);

/// One risk of compatibility for each changed function that gives back such a constant, where an unchanged assertion of
/// a caller stops then; at most two.
void add_asserted_flags(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
