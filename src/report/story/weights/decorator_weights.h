// What a new decorator puts around functions that the change works on, too: those lead, not their wrapper.
#pragma once

#include <vector>

#include "program/program.h"
#include "report/story/story.h"

namespace lockstep::report {

void weigh_decorators(const program::Program& program, std::vector<Actor>& actors);

}  // namespace lockstep::report
