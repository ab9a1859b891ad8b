// The texts that a declaration lists: `choices=["a", "b"]`, `Literal["a", "b"]`.
#pragma once

#include <set>
#include <string_view>

#include "python/tree.h"

namespace lockstep::report {

/// Texts anywhere below the expression, or that it is.
std::set<std::string_view> texts_in(const python::Expr& expression);
/// Texts of each `Literal[…]` in an annotation.
std::set<std::string_view> literals_in(const python::Expr& annotation);

}  // namespace lockstep::report
