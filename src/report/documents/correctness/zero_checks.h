// Conditions and checks that keep a zero away from what divides by it.
#pragma once

#include <optional>
#include <string_view>

#include "program/program.h"
#include "python/tree.h"

namespace lockstep::report {

/// The number that a constant is; nullopt for anything else.
std::optional<double> number_of(const python::Expr* expression, const SourceText& source);

/// Whether the divisor, by its text, is not zero where the condition holds, or, negated, does not hold.
bool excludes_zero(const python::Expr& condition, bool negated, std::string_view divisor, const SourceText& source);

/// Whether the value is an attribute of which objects never hold a zero: each class outside tests that declares a field
/// of the name refuses one in its `__post_init__`, and no code outside tests stores anything there.
bool is_field_without_zero(const program::Program& program, const python::Expr& value);

}  // namespace lockstep::report
