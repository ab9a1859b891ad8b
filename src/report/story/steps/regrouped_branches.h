// `if a and b: x()` that becomes `if a:` with `if b: x()` inside it, or the other way round: what it does is done in
// the same cases as before.
#pragma once

#include <vector>

#include "report/story/steps/steps.h"

namespace lockstep::report {

/// Takes a removed branch and an added one for one that moved, where all the conditions around and on the two are the
/// same, part for part by their words, and at least one statement that tells itself stands in both. Branches with other
/// arms, and inside other loops or blocks, are two.
void match_regrouped_branches(std::vector<Step>& before, const SourceText& before_source, std::vector<Step>& after,
                              const SourceText& after_source);

}  // namespace lockstep::report
