// Attributes that code sets on objects from outside: `optimizer.group = group`, `setattr(optimizer, "group", group)`.
#pragma once

#include <string_view>

#include "program/program.h"

namespace lockstep::mesh {

/// Whether code that is not a method of the object sets a field of that name somewhere in the program. `with_tests`:
/// in a test, too.
bool is_set_from_outside(const program::Program& program, std::string_view field, bool with_tests = true);

}  // namespace lockstep::mesh
