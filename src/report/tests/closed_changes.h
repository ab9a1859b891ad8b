// Tests that come to a changed function and run nothing of what changes in it: with what they give its parameters, or
// set, every changed step stands in a branch that they do not take.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "report/story/story.h"
#include "report/tests/test_conditions.h"

namespace lockstep::report {

/// Leaves the first of `tests` out of which that is so, where others are left. Returns the conditions, as code
/// behind a blank, that are met in none of them where it is so of all; else none. `leading`: functions from which calls
/// surely lead there.
std::vector<std::string> leave_out_not_running(const TestConditions& conditions, const Actor& actor,
                                               const std::unordered_set<std::uint32_t>& leading,
                                               std::vector<TestReach>& tests);

}  // namespace lockstep::report
