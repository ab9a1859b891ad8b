// How much of a change each entity carries: the order in which a document tells them, and which of them lead.
#pragma once

#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// All entities of the change with their roles, weighed by what differs and where it runs; the heaviest first.
std::vector<Actor> ranked_actors(const DocumentInputs& inputs);

/// Weighs them anew by their compared steps and by one another, and sorts them.
void weigh_steps(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
