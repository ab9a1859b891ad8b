// What the success of an import decides, where the change has one more there:
//   try:
//       import hybrid_ep_cpp                 # new
//       from deep_ep import HybridEPBuffer
//       HAVE_HYBRIDEP = True
//   except ImportError:
//       HAVE_HYBRIDEP = False
#pragma once

#include <string>
#include <vector>

#include "report/inputs.h"

namespace lockstep::report {

/// "`HAVE_HYBRIDEP` (place) now also needs `hybrid_ep_cpp`: …", with who reads it: of flags that both versions of a
/// module outside tests have, and of packages that are no part of the repository or of Python. Names that only come
/// from elsewhere in the same package are none.
std::vector<std::string> flag_needs(const DocumentInputs& inputs);

}  // namespace lockstep::report
