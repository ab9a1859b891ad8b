// Settings that were there and that more code obeys now: what a run had to do without where only some code read them.
//   before: y = silu(clamp(x, config.clamp))        # in the plain path alone
//   after:  y = fused(x, config.clamp)              # in the fused ones, too
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// An item of "what" for each setting that two or more functions outside tests newly read off a configuration, and that
/// few others read before: which those are, and which it was. At most one, of the setting with most new readers. Not of
/// settings that the change brings or that nothing read before (awakened_settings.h), nor of readers that only check or
/// whose class read it before.
std::vector<std::string> wider_setting_items(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
