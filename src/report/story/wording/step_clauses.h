// What differs in the body of a function that stays -> verb phrases.
#pragma once

#include <vector>

#include "report/story/wording/change_steps.h"
#include "report/story/wording/clauses.h"

namespace lockstep::report {

/// What the change and its title name, but for the entity itself: of its edits its own name says nothing.
ChangedNames names_beside(const DocumentInputs& inputs, const Actor& actor);

/// Of the steps that came, changed and went, in the order of the source; what several do alike is one.
std::vector<Clause> step_clauses(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
