// Values that a change keeps under a key which does not hold all that they are built from:
//   if layer not in self._cache: self._cache[layer] = make(layer, x.shape[-1])
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each dictionary of an object, a class or a module into which new code puts what it works out from
/// parameters of the function, asks for the key before, and gives what it finds, where the key holds not all of these
/// parameters (nor, of a dictionary that objects share, all attributes of `self`). At most two.
void add_narrow_cache_keys(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
