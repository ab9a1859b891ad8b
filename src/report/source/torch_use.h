// Whether the code that changes may work with PyTorch: of a script that talks to a server nobody asks about GPUs.
#pragma once

#include "report/inputs.h"

namespace lockstep::report {

/// False where every changed Python file outside tests, and each module outside tests that loads it, loads nothing but
/// modules of the repository, of the standard library and of packages that are known to do without PyTorch. True
/// for all else: a package that is not known, an import by a computed name, a file that is gone.
bool may_use_torch(const DocumentInputs& inputs);

}  // namespace lockstep::report
