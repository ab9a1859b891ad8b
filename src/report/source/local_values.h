// What a local of a function holds, where one assignment alone gives it a value.
#pragma once

#include <string_view>

#include "python/tree.h"

namespace lockstep::report {

/// The value of the only assignment to a local of the function; null where there are others, or none.
const python::Expr* only_value_of(const python::FunctionDef& function, std::string_view local);

/// Whether what the local holds at the place is a copy that the function made (`copy.copy(x)`,
/// `dataclasses.replace(x)`), of a parameter of that name, too: what is set on it nobody reads who has the original.
bool holds_copy(const python::FunctionDef& function, std::string_view local, Span place);

}  // namespace lockstep::report
