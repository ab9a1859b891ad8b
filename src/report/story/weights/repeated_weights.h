// One condition that most of a change's functions come to ask besides: it is what the change is about, however few
// lines each of them takes.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Lets the heaviest of the functions lead that come to ask the same operand more (added_operand.h), where they are
/// three or more and most of the edited functions outside tests. The same: the attributes and names that it reads are.
void weigh_repeated_operands(std::vector<Actor>& actors);

}  // namespace lockstep::report
