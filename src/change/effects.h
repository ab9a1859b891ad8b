// The pieces of code that an alignment left over → what they do that the other side does not: imports, calls,
// collectives, raises, asserts, returns; and for what none of these says, the statements themselves.
#pragma once

#include <vector>

#include "change/align.h"

namespace lockstep::change {

/// Appends differences; marks pieces that they explain. What both sides do the same number of times is no difference.
void compare_effects(const OwnCode& before, const OwnCode& after, Alignment& alignment,
                     std::vector<Difference>& differences);

}  // namespace lockstep::change
