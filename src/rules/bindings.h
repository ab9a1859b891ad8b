// Which names a function binds, and its parameters by name. Knows no rule and no program.
#pragma once

#include <string_view>

#include "python/tree.h"

namespace lockstep::rules {

/// True if the body of `function` gives `name` a value: an assignment to it or to a tuple, list or starred element that
/// holds it, a loop, `with … as`, `except … as`, an import, a pattern, a definition; or a function within it does,
/// which declares it `nonlocal`. Parameters and `del` are none.
bool binds_name(const python::Node& function, std::string_view name);

/// The parameter called `name`; null where there is none, or no function.
const python::Parameter* parameter_named(const python::FunctionDef* function, std::string_view name);

}  // namespace lockstep::rules
