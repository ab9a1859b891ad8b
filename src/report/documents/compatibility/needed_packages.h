// Packages that a file needs now when it is imported, and that other code of the repository takes for optional:
//   try: import modelopt            # quantize.py
//   except ImportError: modelopt = None
//   from tools import summary       # train.py, new at its top; tools.py imports modelopt at its own
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// "Importing `train.py` needs `modelopt` now": of files outside tests that stay, and new imports at their top that
/// lead by imports at the tops of other files to a package which nothing led to before. Only packages outside the
/// repository of which an import stands in a `try` that takes import errors, and which the project does not list as its
/// own needs.
void add_needed_packages(const DocumentInputs& inputs, std::vector<Risk>& risks);

}  // namespace lockstep::report
