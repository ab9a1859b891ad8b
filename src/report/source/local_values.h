// What a local of a function holds, where one assignment alone gives it a value.
#pragma once

#include <string_view>

#include "python/tree.h"

namespace lockstep::report {

/// The value of the only assignment to a local of the function; null where there are others, or none.
const python::Expr* only_value_of(const python::FunctionDef& function, std::string_view local);

}  // namespace lockstep::report
