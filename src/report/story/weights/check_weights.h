// What a change makes code refuse, declare or derive from settings follows what it makes code do.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Raises, asserts, warnings and the branches that lead to nothing else, option declarations.
bool is_check(const Step& step);

/// `__post_init__` of a dataclass in which nothing changes but what it refuses and derives.
bool only_checks_settings(const DocumentInputs& inputs, const Actor& actor);

/// A change to what is refused or declared follows the change to what is done: it is told after it. Where the title is
/// about what is refused ("Enforce that …", "Reject …"), what refuses something new in words of its own comes first.
void weigh_checks(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
