// Values that a name only starts from: `found = []` before the loop that fills it, `at = root` before `at = next(at)`.
#pragma once

#include <cstddef>
#include <vector>

#include "report/story/steps/steps.h"

namespace lockstep::report {

/// Whether the plain step sets a name that a later step of the change, in a loop that begins after it, sets from itself
/// or fills: as what the name is set to, its value alone would mislead.
bool only_starts(const std::vector<Step>& steps, std::size_t index);

/// Whether the plain step gives a name nothing to start with (`[]`, `{}`, `None`, `0`, `""`), and a later step of the
/// change fills it, or gives it its value in a branch that is not around this one.
bool starts_empty(const std::vector<Step>& steps, std::size_t index);

}  // namespace lockstep::report
