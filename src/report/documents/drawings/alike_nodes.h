// Boxes of a flowchart that say the same and stand in the same place of it.
#pragma once

#include "report/diagram.h"

namespace lockstep::report {

/// Draws one box for nodes of one label, shape and mark that the same arrows lead to and from, with how many there are:
/// "f(x)\nin 7 places". How often a run comes to them is not said: they may be alternatives.
void merge_alike(Flowchart& chart);

}  // namespace lockstep::report
