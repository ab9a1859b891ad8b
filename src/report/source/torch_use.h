// Whether the code that changes works with PyTorch at all: of a script that talks to a server nobody asks about GPUs.
#pragma once

#include "report/inputs.h"

namespace lockstep::report {

/// Whether a changed Python file outside tests imports torch, or loads a module of the repository that does. True also
/// where a file loads modules by names that are not known.
bool uses_torch(const DocumentInputs& inputs);

}  // namespace lockstep::report
