// Settings that changed code newly reads off `args` or `config`, and that nothing in the repository's Python code brings
// in: no option, field, assignment, keyword or parameter has the name.
//   getattr(args, "correct_grad", False)   # always `False`
//   args.freeze_vit                        # would raise
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk for what is read with a default, which is all that it can be, and one for what is read without.
void add_unset_arguments(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
