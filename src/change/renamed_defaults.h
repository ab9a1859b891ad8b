// Differences of defaults -> those in which nothing differs but the name of a class that the change renames: the
// default is the same object.
#pragma once

#include <vector>

#include "change/change.h"

namespace lockstep::change {

/// Makes kDefaultRenamed of each such kDefaultChanged. A class counts as renamed if it is the only one of its old name
/// before the change, and of its new one after it.
void mark_renamed_defaults(const program::Program& before, const program::Program& after,
                           std::vector<EntityChange>& entities);

}  // namespace lockstep::change
