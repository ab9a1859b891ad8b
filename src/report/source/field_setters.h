// Who gives a field of a dataclass a value: where nobody does, it stays at its default.
#pragma once

#include <string_view>

#include "program/program.h"

namespace lockstep::report {

/// Whether no Python code outside tests gives the field `name` of the dataclass a value by its name, or by its
/// position: as a keyword, as an attribute, by its name in a string (the key of a dictionary, `setattr`, an argument's
/// "--the-name"). False where it has no default, and where classes derive from the dataclass.
bool is_never_set(const program::Program& program, program::ClassId cls, std::string_view name);

/// Whether a class of that name holds settings, which come from the command line and from files, too.
bool is_named_for_settings(std::string_view class_name);

}  // namespace lockstep::report
