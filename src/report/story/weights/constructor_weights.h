// Constructors make ready what others do: the change is told by these.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// A changed constructor that makes ready what the heaviest changed function needs comes behind the new code that this
/// function calls; one whose new attributes and buffers other changed functions use, behind the heaviest of these.
void weigh_constructors(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
