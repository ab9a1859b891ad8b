// What a class of pydantic does with arguments that it has no field for.
#pragma once

#include <string>
#include <string_view>

#include "program/program.h"

namespace lockstep::report {

/// "allow", "ignore" or "forbid": as the class or one of its bases in the repository configures it, in its head
/// (`class A(Base, extra='allow')`) or by `model_config`; "ignore" where none does (docs.pydantic.dev, `extra`). Empty
/// for classes that do not derive from `pydantic.BaseModel`, and where that is not known: bases or settings that are
/// not written there, a constructor of its own, validators that see the arguments first, aliases.
std::string pydantic_extra(const program::Program& program, program::ClassId cls);

/// Whether the class itself declares a field of pydantic of this name that its constructor takes by it: annotated, no
/// class variable, no private name, no alias.
bool is_pydantic_field(const program::Class& cls, std::string_view name);

}  // namespace lockstep::report
