// Settings that were there before the change without effect, and that its code reads: what they say happens now.
#pragma once

#include <vector>

#include "report/inputs.h"
#include "report/story/settings/flag_declarations.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Settings that changed code reads and that, before, no Python code outside tests read by their names; at most two.
std::vector<Flag> awakened_settings(const DocumentInputs& inputs, const std::vector<Actor>& actors,
                                    const FlagDeclarations& declarations);

}  // namespace lockstep::report
