// Functions that no call joins to the change, but names, values and tests do: who sets or reads its state, hands on or
// asks for its names, where its arguments decide, who checks its settings, what its tests set up.
#pragma once

#include <set>

#include "report/inputs.h"
#include "report/story/story.h"
#include "writer/pack/candidates.h"
#include "writer/pack/names.h"

namespace lockstep::writer {

/// `state`: what all that touches the state of the change is worth together with its names; the rest hangs on it.
void add_leads(const report::DocumentInputs& inputs, const report::Story& story, const Leads& leads, double state,
               const std::set<program::FunctionId>& changed, Candidates& candidates);

}  // namespace lockstep::writer
