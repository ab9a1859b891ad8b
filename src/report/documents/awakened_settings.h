// Settings that were there before the change without effect, and that its code reads: what they say happens now.
#pragma once

#include <string>
#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// A sentence for each setting that changed code reads and that, before, no Python code outside tests read by its
/// name; at most two.
std::vector<std::string> awakened_setting_items(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
