// Functions that are largely the same code as a changed one, and that the change leaves alone: copies that a fix may
// have left behind, or that had already what it brings.
#pragma once

#include <string>
#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each changed function of which unchanged ones outside tests have most statements, word for word, and
/// none of those that are new in it. At most two; none for methods that stand in the place of the changed one (see
/// passed_by.h), and where a question on one of its statements names the copy already.
void add_near_copies(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

/// " What is new in it stood already in `g` (`a.py:3`), of which 9 of 11 statements are the same." of a function into
/// which the change brings nothing but statements that such a copy has; empty for others.
std::string had_by_copies(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
