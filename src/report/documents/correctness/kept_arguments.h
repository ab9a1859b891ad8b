// Arguments that a change alters in one call, and that calls of the same function beside it keep as they were:
//   load_common(path, weights_only=True)      # was False
//   load_sharded(path, weights_only=False)    # stays
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each argument that changed calls give another value, or give newly, where others of the same
/// function, in the same module, the same class or a function of the same name, still give the old value, or none; of a
/// function of a library only flags (`True`, `False`), wherever the few other calls stand. At most two. Left out:
/// locals, which mean something else elsewhere; arguments of which most calls give a value of their own; places of
/// which another question tells already.
void add_kept_arguments(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
