// Where names stand in code: in one function, and in all of a program outside tests.
#pragma once

#include <set>
#include <string_view>

#include "program/program.h"
#include "python/tree.h"

namespace lockstep::report {

/// Whether code outside tests sets an attribute of the name (by `setattr`, too) or passes an argument of it, or reads
/// one where `or_read`.
bool is_given(const program::Program& program, std::string_view name, bool or_read = false);

/// Whether code outside tests may give objects of the class the field: sets an attribute of the name, passes an
/// argument of it, has it as a text, or makes objects of the class by position or of a dictionary.
bool may_be_given(const program::Program& program, std::string_view cls, std::string_view name);

/// Names, parameters and attributes of a function; those of arguments, too. Nothing for null.
std::set<std::string_view> words_in(const python::FunctionDef* def);

/// Whether a function has a parameter, a local, an attribute, an argument or a text of the name.
bool names_word(const python::FunctionDef& function, std::string_view word);

/// Whether it takes `*args` or `**kwargs`.
bool takes_bundle(const python::FunctionDef& function);

}  // namespace lockstep::report
