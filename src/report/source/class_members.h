// What a class gives by its own body, and who can name it. Linked program in, answers out.
#pragma once

#include <string_view>

#include "program/program.h"

namespace lockstep::report {

/// Whether the class itself, none above it, has the name: a method, a class attribute, or one that its methods set.
bool has_own_member(const program::Program& program, program::ClassId cls, std::string_view name);

/// Whether code outside can name the class: no part of its name is private, no function holds it, and it is no test's.
bool is_public_class(const program::Program& program, program::ClassId cls);

}  // namespace lockstep::report
