// A function that goes, and whose code one that called it has itself now: told as that, not as calls dropped and new
// work.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Sets Step::inlined: of added steps that are, one after the other, all that a removed function did, and of removed
/// calls of it that gave it what it read under the names that it has there, with the branches that do nothing else.
void match_inlined(const DocumentInputs& inputs, std::vector<Actor>& actors);

/// The functions whose code this one has itself now, in the order of that code.
std::vector<const change::EntityChange*> inlined_in(const Actor& actor);
/// "has the code of the removed `f` itself, in place of 3 calls of it: calls `g(x)`".
std::string inlined_words(const DocumentInputs& inputs, const Actor& actor, const change::EntityChange& gone);

}  // namespace lockstep::report
