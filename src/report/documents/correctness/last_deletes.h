// `del x` right before `return y`: the return lets go of the local anyway.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One remark on all new `del` statements of locals that nothing but a `return` of names follows, which frees them just
/// as early (CPython drops a frame's locals when it returns). Locals that an inner function holds are left out.
void add_last_deletes(const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
