// Waits of the host for the GPU that a change takes out, where its title is about that.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// At most one item: "The host no longer waits for the GPU at `x.item()` (in `f`), …", or, where only loops no longer
/// do, "… in each round of a loop, at …". Empty where the title speaks of something else ("keep … on device", "avoid
/// host syncs" are about it), or no wait goes.
std::vector<std::string> gone_wait_items(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
