// Fields that a change adds to dataclasses: they are parameters of the constructor that Python makes.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk of compatibility for each public dataclass that gets new fields, but those that are told as settings; at
/// most three.
void add_new_fields(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
