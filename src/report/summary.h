// The change -> section 1 of the review: what it does, why (in its own words), how, what tests reach it.
#pragma once

#include "report/document.h"
#include "report/inputs.h"

namespace lockstep::report {

/// The title of the review and the blocks of its summary.
Document write_summary(const DocumentInputs& inputs);

}  // namespace lockstep::report
