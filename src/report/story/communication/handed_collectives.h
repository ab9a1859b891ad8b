// A collective that a function issued itself and leaves to a helper now, which takes the group as a parameter.
//   dist.all_gather(parts, x, pg)   ->   self._gather(x, pg), which issues dist.all_gather(parts, x, group)
#pragma once

#include "change/change.h"
#include "report/inputs.h"

namespace lockstep::report {

/// The collective of `helper`, a function of the new version, that does what `gone` did in the old version of `entity`:
/// the same operation over a parameter to which a call in the new version of `entity` gives the group of `gone`, as it
/// is written. Null where there is none.
const mesh::CollectiveSite* handed_collective(const DocumentInputs& inputs, const change::EntityChange& entity,
                                              const mesh::CollectiveSite& gone, program::FunctionId helper);

}  // namespace lockstep::report
