// Command-line arguments that changed code newly reads (`args.x`) and that no parser makes: `x` is a field of a
// configuration class of whose fields arguments are made, and is named there as one to leave out.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk for each such name, with the functions that read it and where it is left out; none where anything sets an
/// attribute of that name, hands it over by keyword, or declares an option for it, and none where old code read it of
/// `args`, too.
void add_undeclared_arguments(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
