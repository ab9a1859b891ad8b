// `if a or b: x() else: y()` that becomes `if b: x() elif not a: y()`: the question before `y()` is written otherwise
// and has the answer that it had.
#pragma once

#include <vector>

#include "report/story/steps/steps.h"

namespace lockstep::report {

/// Pairs an `elif` of one version with the `else` of the other one, as kept, where the conditions above them let a run
/// come to both in the same cases. Conditions are compared by their words, part for part.
void keep_same_alternatives(std::vector<Step>& before, const SourceText& before_source, std::vector<Step>& after,
                            const SourceText& after_source);

}  // namespace lockstep::report
