// Code that a run comes to right before it ends its process:
//   if should_exit: torch.distributed.barrier(); …; sys.exit(code)
#pragma once

#include "python/tree.h"

namespace lockstep::report {

/// Whether a branch around the place, in the function, ends with a call of `sys.exit`, `os._exit` or `exit`.
bool ends_process(const python::Node& function, Span place);

}  // namespace lockstep::report
