// Which steps of two versions of a function are the same, in one order on both sides: the first part of a comparison.
#pragma once

#include <cstddef>
#include <vector>

#include "report/story/steps/steps.h"

namespace lockstep::report {

/// Makes before[b] and after[a] partners of one status.
void pair_up(std::vector<Step>& before, std::size_t b, std::vector<Step>& after, std::size_t a, StepStatus status);

/// Pairs a common subsequence of both, as kept, and calls the rest removed and added. kMaxSteps on both sides make a
/// table of 32 MB at most. `lines`: the difference of the two files; a pair on a line that it keeps counts more.
void align_steps(std::vector<Step>& before, std::vector<Step>& after, const repo::LineDiff* lines = nullptr);

/// Mends what an alignment by words alone takes for one step: an `elif` and an `if` that are asked in other cases,
/// and, of a branch or a way out that stands twice now, the one that is the old one.
void settle_alignment(std::vector<Step>& before, std::vector<Step>& after);

}  // namespace lockstep::report
