// Objects that a module makes once and keeps under a name of its own: `CONFIG = Config()`. Linked program in, classes
// out.
#pragma once

#include <string_view>

#include "program/program.h"
#include "rules/names/used_names.h"

namespace lockstep::rules {

/// The class of the object that the module's variable `name` of `reader` holds for sure, or None in its place: one
/// statement at the top of the module, or of the one that it is imported from, sets it to a call of the class, and no
/// other statement of the repository, also not through `global` or through the module, may set it. Invalid for all
/// others, and of a class that may give something else (new_objects.h).
program::ClassId class_of_module_object(const program::Program& program, const UsedNames& used,
                                        program::ModuleId reader, std::string_view name);

}  // namespace lockstep::rules
