// A new function that takes over what its callers did themselves, and sets an attribute that none of them set:
//   def build(): c = Groups(); c.tp = tp(); c.dp = dp(); return c     # `c.dp` stood nowhere before
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// " It also sets `dp`, which the code that it replaces in `f` and `g` did not." of a new function that sets two or
/// more attributes which functions that newly call it set no longer; empty for others, and where it sets just these.
std::string attributes_besides(const DocumentInputs& inputs, const std::vector<Actor>& actors, const Actor& actor);

/// Such a function carries the change, as far as it is about these functions: it comes before those that call it.
void weigh_attributes_besides(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
