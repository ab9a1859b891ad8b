// Changed code that gives a class or module of a library another attribute: all of the program that uses it is changed.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Functions that come to replace a function of a library (`torch.nn.Module.forward = mine`) weigh more than what they
/// say in lines.
void weigh_patches(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
