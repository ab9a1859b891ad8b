// New assertions of a configuration that its own defaults fail:
//   if self.batch_invariant_mode:
//       assert self.flash_attention_version in (3, 4)      # new; the default is None
#pragma once

#include <vector>

#include "report/documents/risks.h"
#include "report/story/story.h"

namespace lockstep::report {

/// One risk for each setting whose declared default an assertion refuses that the change brings, where another setting
/// is set: whoever sets that one has to set both now. At most a few.
void add_refused_defaults(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
