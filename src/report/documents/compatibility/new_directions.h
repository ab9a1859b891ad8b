// Imports by which a package comes to depend on one that depends on it: until then they had one direction.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each import that a change brings outside tests and that is the first of its package in another one,
/// where several modules of that package import the other one. At most two; none for small packages and for what only
/// type checkers import.
void add_new_directions(const DocumentInputs& inputs, std::vector<Risk>& risks);

}  // namespace lockstep::report
