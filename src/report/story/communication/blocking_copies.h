// Copies that the change makes blocking: the host waits at them now.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Calls of the new version of a function that gave `non_blocking=True` in the old one and do not any more. (A copy
/// between page-locked host memory and the GPU with `non_blocking=True` returns at once; without, the host waits for
/// it: documentation of torch.Tensor.copy_.)
std::vector<const python::Call*> copies_made_blocking(const Actor& actor);

}  // namespace lockstep::report
