// Code that no call joins to a change, but that does the same beside it: what new code takes the place of, and where
// else the pattern of a replaced line stands.
#pragma once

#include <set>

#include "report/inputs.h"
#include "report/story/story.h"
#include "writer/pack/candidates.h"

namespace lockstep::writer {

/// Functions that the call sites of a method may enter instead of it (of the class that a new one imitates), and
/// functions elsewhere that fill the attribute of a replaced or new assignment from a call of the same name.
void add_counterparts(const report::DocumentInputs& inputs, const report::Story& story,
                      const std::set<program::FunctionId>& changed, Candidates& candidates);

}  // namespace lockstep::writer
