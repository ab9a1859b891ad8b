// Members that a change adds to an enumeration and that changed branches of the lead ask for: who gives them. Where code
// runs on messages (`if header == Headers.START:`), no call shows whose runs take the branch.
#pragma once

#include <cstddef>
#include <string>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// "`Headers.START` is asked for in what changes; it is named, too, by `Client.start` (`client.py:9`)." Empty where there
/// is none.
std::string asked_members_text(const DocumentInputs& inputs, const Story& story, std::size_t index);

}  // namespace lockstep::report
