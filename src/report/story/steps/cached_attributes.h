// Steps that read what they read before from an attribute which keeps it now.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Fills Step::renames of steps that differ in nothing but that they read `self.x` for `self.holder.x`, where the
/// change makes a method of the class set `self.x` to `holder.x` (or `getattr(holder, "x", …)`).
void mark_cached_attributes(std::vector<Actor>& actors);

}  // namespace lockstep::report
