// Two arms of a branch that become one statement: `if use_msc: msc.open(p) else: open(p)` as `storage.open(p)`. What one
// arm did is done still.
#pragma once

#include <cstddef>

#include "report/story/story.h"

namespace lockstep::report {

/// Whether the step of the old version, which goes, did what a step of the other arm of a branch around it did, and that
/// one stays, changed or not.
bool is_merged(const Actor& actor, std::size_t before);

}  // namespace lockstep::report
