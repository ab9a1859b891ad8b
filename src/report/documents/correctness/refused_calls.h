// Calls of a changed function that Python refused before the change and refuses still.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// "The call of `f` in `g` (`a.py:3`) has missing `x`: …" of calls outside tests, in lines that stay, that surely enter
/// a told function of which no parameter changes and that do not fit it: whoever looks there next should know.
void add_refused_calls(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
