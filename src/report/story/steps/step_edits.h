// Which removed and which added step of a function are one step that changed.
#pragma once

#include <vector>

#include "report/story/steps/steps.h"

namespace lockstep::report {

/// Between two kept steps, a removed and an added step that are about the same thing are one changed step.
void match_edits(std::vector<Step>& before, const SourceText& before_source, std::vector<Step>& after,
                 const SourceText& after_source);

}  // namespace lockstep::report
