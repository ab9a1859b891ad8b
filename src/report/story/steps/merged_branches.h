// Two arms of a branch that become one statement: `if use_msc: msc.open(p) else: open(p)` as `storage.open(p)`. What
// one arm did is done still.
#pragma once

#include <cstddef>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Whether the step of the old version, which goes, did what a step of the other arm of a branch around it did, and
/// that one stays, changed or not. So does a question that the one of the other arm asks with others, as it stands.
bool is_merged(const Actor& actor, std::size_t before);

/// The branches of the old version that go and stood in the other arm of the one that went from around the branch
/// `before`, which stays: they asked the same of something else, and did the same. Empty for other steps.
std::vector<std::size_t> merged_with(const Actor& actor, std::size_t before);

}  // namespace lockstep::report
