// Functions that did nothing before the change, or do nothing any more: a hook that a base class asks for, say.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Whether a function that both sides have held nothing but its docstring, `pass`, `...` or a bare `return` before the
/// change, and does something now.
bool did_nothing(const Actor& actor);
/// The same the other way round.
bool does_nothing_any_more(const Actor& actor);

/// Both weigh more than any function that did something before and does something now.
void weigh_idle_functions(std::vector<Actor>& actors);

}  // namespace lockstep::report
