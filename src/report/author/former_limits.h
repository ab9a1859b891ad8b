// Comments that the change takes out and that said what did not work yet, and why:
//   # Backward does not overlap, because the reduction is not delayed. The next change addresses this.
// Where the title speaks of the same, that is what the change is for.
#pragma once

#include <cstddef>
#include <vector>

#include "report/author/why.h"

namespace lockstep::report {

/// Of changed functions, tests among them, the sentences of such comments: those with a word of the title that say what
/// is not so, with a cause or with what was to come; where the title speaks of a fault, also those that call the code
/// of a function outside tests wrong or a makeshift. At most `most`, each with the place where it stood before the
/// change. Not what the change writes again.
std::vector<Saying> former_limits(const DocumentInputs& inputs, const Story& story, std::size_t most);

}  // namespace lockstep::report
