// What the change of a signature asks of those who call it.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk for all parameters of the function that come, go or differ; none where none does.
void add_signature(const DocumentInputs& inputs, const Actor& actor, std::vector<Risk>& risks);

/// One risk for private methods that take something new and that subclasses override: what calls the method may pass it
/// to any of them. Of public ones add_signature says so.
void add_bound_overrides(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
