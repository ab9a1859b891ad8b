// Fields that a change adds to models of pydantic: it refuses to make an object without those that have no default.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk of compatibility for all models that get the same new fields without a default, at most three: who makes
/// one without them, outside tests.
void add_model_fields(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
