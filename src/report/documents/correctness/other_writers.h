// An attribute that a change sets to something else than the constant it set before -> the places that still set it to
// that constant.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One question for each such attribute of another object than `self` (`param.overwrite_main_grad = True`) that code
/// outside tests, on lines that the change leaves as they are, sets as it was set here.
void add_other_writers(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
