// Classes that only say what others must have (`class Router(Protocol)`), and their methods without bodies: types, that
// no run enters.
#pragma once

#include "change/change.h"
#include "program/program.h"

namespace lockstep::report {

/// Whether the side is a class that derives from `typing.Protocol` itself, or a method of one whose body does nothing.
bool is_of_protocol(const program::Program& program, const change::EntitySide& side);

}  // namespace lockstep::report
