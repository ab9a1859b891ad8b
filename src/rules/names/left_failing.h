// undefined-name, of what a change leaves behind: it mends an import of a name that a module does not have, and other
// files still ask that module for names that it does not have.
#pragma once

#include <vector>

#include "rules/names/module_names.h"
#include "rules/rule.h"

namespace lockstep::rules {

/// One finding for each such file outside tests whose import runs whenever the file is loaded; it stands at the import
/// that the change mends, for the file itself may not be part of the change. `names`: of the side after it.
std::vector<Finding> imports_left_failing(const RuleContext& context, const ModuleNames& names);

}  // namespace lockstep::rules
