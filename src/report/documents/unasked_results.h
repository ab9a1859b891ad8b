// Results whose kind new code asks for where one thing is called, while others that call it take what they get:
//   y = self.norm(x)
//   if isinstance(y, tuple): y, residual = y     # new, at two places
//   self.route(layer.norm(x))                    # elsewhere, as ever
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// Of changes that newly ask at two places or more whether what they get by calling an attribute is of one kind
/// (`isinstance`): a question for each such attribute that others outside tests call who neither ask nor hand the
/// result on. At most two.
void add_unasked_results(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
