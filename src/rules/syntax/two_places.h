// Two places of one function held against one another.
#pragma once

#include <vector>

#include "rules/syntax/guards.h"

namespace lockstep::rules {

/// Of the conditions around `target` (guards_of) those that do not stand around `other`.
std::vector<Guard> guards_beyond(const python::Node& function, Span target, Span other);

/// Whether a pass through the function comes to one of the two places alone: they stand in the two arms of an `if`, or
/// in two cases of a `match`.
bool are_exclusive(const python::Node& function, Span one, Span other);

}  // namespace lockstep::rules
