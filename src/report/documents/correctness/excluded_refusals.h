// Refusals (`assert`, `raise`) that no run may come to, since other code already sees to it that what they refuse does
// not happen.
#pragma once

#include "report/story/story.h"

namespace lockstep::report {

/// Whether other code asks about the same attribute before the refusal `step` of the function can be come to:
///  - all calls of the function, or of a nested function one place that calls it or hands it on, stand under a
///    condition that reads an attribute which the refusal asks about (a hook that is only registered where it fits);
///  - of two attributes that it asks about, one is set by code that asks about the other (a constructor that turns
///    on what a strategy needs).
bool may_be_excluded(const DocumentInputs& inputs, const Actor& actor, const Step& step);

}  // namespace lockstep::report
