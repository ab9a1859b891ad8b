// How much of a change each entity carries: the order in which a document tells them, and which of them lead.
#pragma once

#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// All entities of the change with their roles, weighed by what differs and where it runs; the heaviest first.
std::vector<Actor> ranked_actors(const DocumentInputs& inputs);

/// Compares the steps of a function, a method or a module; a side that the program does not hold is empty.
void compare_steps_of(const DocumentInputs& inputs, Actor& actor);

/// Weighs them anew by their compared steps and by one another, and sorts them.
void weigh_steps(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
