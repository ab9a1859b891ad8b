// Changed code behind a parameter that every call of the repository leaves at its default: none of them runs it.
#pragma once

#include <vector>

#include "report/documents/risks.h"
#include "report/story/story.h"

namespace lockstep::report {

/// One risk for each parameter with a constant default that all calls of a changed central function, tests among them,
/// leave as it is, where changed lines stand under conditions that do not hold with it. None where a call may give it in
/// a way that does not show, and for what is new or has no calls.
void add_default_branches(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
