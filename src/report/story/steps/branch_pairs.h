// Two branches that a comparison of steps took for one that asks something else now -> whether they are.
#pragma once

#include <vector>

#include "report/story/steps/steps.h"

namespace lockstep::report {

/// Parts branches that were paired though they are two: a branch is another one, not this one with another condition,
/// where nothing that it held is held now and the two conditions have nothing in common; and where its question, or the
/// new one, has a counterpart of the same words elsewhere, unless what it does tells that it is the same.
void part_other_branches(std::vector<Step>& before, const SourceText& before_source, std::vector<Step>& after,
                         const SourceText& after_source);

}  // namespace lockstep::report
