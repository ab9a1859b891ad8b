// Refusals that nobody could meet before the change: they do not hold where the settings and parameters that the change
// brings have their defaults.
//   fused = config.fused and residual          # a new setting, a new parameter
//   if fused and config.kind != "rms": raise ValueError
#pragma once

#include "report/story/story.h"

namespace lockstep::report {

/// Whether step `index` of the after side, a check, is not come to, or lets everything through, where all that is new
/// is left at its default.
bool asks_for_what_is_new(const Story& story, const Actor& actor, std::size_t index);

}  // namespace lockstep::report
