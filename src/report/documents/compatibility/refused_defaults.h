// New assertions of a configuration that its own defaults fail:
//   if self.batch_invariant_mode:
//       assert self.flash_attention_version in (3, 4)      # new; the default is None
#pragma once

#include <vector>

#include "report/documents/risks.h"
#include "report/story/story.h"

namespace lockstep::report {

/// One risk for each setting whose declared default an assertion refuses that the change brings, where other settings
/// are set that are off by default: whoever sets those has to set it, too, now. None where the setting may have another
/// value without anybody setting it, where the function refused some value of it before, and where the assertion stands
/// under any other condition than `if self.x:`. At most a few.
void add_refused_defaults(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
