// Errors that a change newly raises, and that no test near the code expects.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One question for the errors that functions of the change newly raise, where no test that names the function, or what
/// calls it near by, expects one of that kind whose message may be this (`pytest.raises(ValueError, match=…)`,
/// `assertRaises(ValueError)`). At most three errors are named.
void add_untested_refusals(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
