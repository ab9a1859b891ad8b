// Reasons that the author gives, as short as a summary needs them. Quotes only.
#pragma once

#include <string>

#include "report/author/why.h"

namespace lockstep::report {

/// The reason in a saying, in one or two sentences.
std::string reason_in_short(const Saying& saying);
/// What the first comment beside a step says that gives a reason, with its place, one that says plainly why before the
/// others; empty where there is none.
std::string reason_of_step_in_short(const OwnWords& words);

}  // namespace lockstep::report
