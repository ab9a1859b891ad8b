// Methods that stand in the place of a changed one and were left as they were -> a risk: what changes in the base does
// not reach objects of their classes.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk for all changed central methods of which subclasses outside tests have their own that the change does not
/// touch and that do not call the base's by `super()` or by its class; those that do call it are named with them.
/// Leaves out constructors, properties, and methods of which only what they document changes.
void add_passed_by(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
