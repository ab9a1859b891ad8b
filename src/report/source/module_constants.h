// Names of a module that stand for one value: `ALIGNMENT = 16`.
#pragma once

#include <optional>
#include <string_view>

#include "program/program.h"
#include "python/tree.h"

namespace lockstep::report {

/// Whether the name, as the function reads it, stands for a number above zero that its module gives it once, by a
/// literal, and that no function of the module declares `global`.
bool is_positive_constant(const program::Program& program, program::FunctionId function, const python::Expr& name);

/// The text that the name, as the function reads it, stands for in the same way: `MODEL = "model"`; none for others.
std::optional<std::string_view> text_of_constant(const program::Program& program, program::FunctionId function,
                                                 const python::Expr& name);

/// Whether the expression, as the function reads it, is such a number's name or a number above zero itself.
bool is_positive_number_of(const program::Program& program, program::FunctionId function, const python::Expr& value);

/// Whether the expression reads nothing but such names and literals.
bool is_made_of_constants(const program::Program& program, program::FunctionId function, const python::Expr& value);

}  // namespace lockstep::report
