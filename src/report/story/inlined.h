// A function that goes, and whose code one that called it has itself now: told as that, not as calls dropped and new
// work.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Sets Step::inlined: of added steps that are, one after the other, all that a removed function did, and of removed
/// calls of it, with the branches that do nothing else.
void match_inlined(std::vector<Actor>& actors);

/// "has the code of the removed `f` itself, in place of 3 calls of it: calls `g(x)`"; empty where there is none.
std::string inlined_words(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
