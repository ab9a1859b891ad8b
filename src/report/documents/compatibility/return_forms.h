// Functions that return something of another form than before: a dictionary in place of a tuple, a tuple of another
// length, a tuple in place of one value; and calls that still take the result as it was.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A risk for each function, outside tests, all of whose `return` statements with a value have one known form before and
/// another one after the change. At most three.
void add_return_forms(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
