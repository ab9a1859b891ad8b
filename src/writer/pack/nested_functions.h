// Functions within functions, as pieces of a pack: they stand in what is around them, once.
#pragma once

#include "writer/pack/candidates.h"

namespace lockstep::writer {

/// Gives what leads to a nested function to the outermost function around it that is a candidate itself; a lambda,
/// which says nothing alone, always to a function around it. `before` may be null.
void join_nested(const program::Program& after, const program::Program* before, Candidates& candidates);

}  // namespace lockstep::writer
