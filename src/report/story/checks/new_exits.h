// New early returns before a step: what they ask does not hold where it runs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/steps/steps.h"

namespace lockstep::report {

/// Marked text of what holds at step `index` of the side after the change, since no branch that the change brings
/// before it in its block has left the function, or the round of its loop: "`mode` is not `"a"`"; "none of the 3 new
/// branches before it is taken" of many, or where what was asked may have changed since. Empty where there is none.
std::vector<std::string> exits_before(const std::vector<Step>& steps, std::size_t index, const SourceText& source);

}  // namespace lockstep::report
