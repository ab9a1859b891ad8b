// Command-line arguments that a change takes away: scripts that still give them stop.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// Options ("--x") that files of the change declared and that nothing declares any more: no `add_argument`, and no
/// field of that name of a dataclass, from which arguments may be made. Sorted.
std::vector<std::string> gone_arguments(const DocumentInputs& inputs);

/// One risk of compatibility for all of these; none where there are none.
void add_gone_arguments(const std::vector<std::string>& gone, std::vector<Risk>& risks);

}  // namespace lockstep::report
