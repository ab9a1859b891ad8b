// Which branches, loops and other blocks a moved step leaves and comes into.
#pragma once

#include <cstddef>
#include <string>

#include "report/story/steps/steps.h"

namespace lockstep::report {

/// ", out of `if x:`, into `for y in z:`" of the moved step at `index` of the new version; empty where the same blocks
/// are around it on both sides.
std::string crossed_blocks_words(const StepComparison& steps, std::size_t index);

/// Whether a call that moved stood in a branch that is gone, and comes into no block.
bool leaves_condition(const StepComparison& steps, std::size_t index);

/// "; it runs in the same cases as `if a and b:` did" of a branch that moved and gave a part of its condition to the
/// blocks around it, or took one from them (regrouped_branches.h); empty for other steps.
std::string regrouped_words(const StepComparison& steps, std::size_t index);

}  // namespace lockstep::report
