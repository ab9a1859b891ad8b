// New classes that functions which were there before come to use.
#pragma once

#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// A new class whose objects three or more edited functions outside tests come to use is what they all do now: it leads
/// them.
void weigh_used_classes(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
