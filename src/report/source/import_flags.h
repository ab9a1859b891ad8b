// Flags of a module that say whether something can be imported:
//   try: from x import f; HAVE = True
//   except ImportError: HAVE = False
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "python/tree.h"

namespace lockstep::report {

/// What the `try` of the flag imports, with its module ("x.f"), where the flag is true if all of it can be imported and
/// false otherwise, as all the module's own code shows; nullopt for other variables.
std::optional<std::vector<std::string>> imports_behind_flag(const python::Module& module, std::string_view name);

/// Whether a handler of the `try` takes what a failed import raises.
bool takes_import_errors(const python::Try& attempt);

}  // namespace lockstep::report
