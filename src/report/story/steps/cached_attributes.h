// Steps that read what they read before from an attribute which keeps it now.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Fills Step::renames of steps that differ in nothing but that they read `self.x` for `self.holder.x`, where the
/// change makes the constructor set `self.x` to `self.holder.x` (or to that of the parameter which it keeps as
/// `self.holder`; `getattr(holder, "x", None)` counts) and nothing sets any of them again.
void mark_cached_attributes(const program::Program& after, std::vector<Actor>& actors);

}  // namespace lockstep::report
