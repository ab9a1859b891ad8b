// Functions that issue a collective which they did not, or no longer one that they did: what other ranks meet there
// changes, however few lines do it.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Lets each of them be told early; the heaviest leads where it carries much of the change anyway. A collective that
/// only moved from one changed function to another is none. Early comes, too, a function whose changed condition decides
/// over a call that was there and can come to a collective.
void weigh_collectives(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
