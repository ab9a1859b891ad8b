// An error that is raised as before, with another message.
#pragma once

#include <string>

#include "report/story/steps/steps.h"

namespace lockstep::report {

/// The exception ("ValueError") where both steps raise it with one text alone; empty for others.
std::string reworded_error(const Step& before, const Step& after);

}  // namespace lockstep::report
