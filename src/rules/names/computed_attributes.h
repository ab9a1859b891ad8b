// Attributes that code sets without naming them: by setattr, or through the table of an object's attributes. Knows no
// rule and no program.
#pragma once

#include <string_view>

#include "python/tree.h"

namespace lockstep::rules {

/// x of a table of attributes: `vars(x)`, `x.__dict__`. Null for other expressions.
const python::Expr* owner_of_table(const python::Expr* expression);

/// Statements that give `name` (any name but `self`, where it is empty) attributes which no source names:
/// `setattr(args, key, value)`, `vars(args).update(…)`, `args.__dict__[key] = value`, `table = vars(args)` and then the
/// same with `table`.
bool sets_computed_attributes(const python::Node& node, std::string_view name);

}  // namespace lockstep::rules
