// What a class of pydantic does with arguments that it has no field for.
#pragma once

#include <string>

#include "program/program.h"

namespace lockstep::report {

/// "allow", "ignore" or "forbid": as the class or one of its bases in the repository configures it, in its head
/// (`class A(Base, extra='allow')`) or by `model_config`; "ignore" where none does (docs.pydantic.dev, `extra`). Empty
/// for classes that do not derive from `pydantic.BaseModel`.
std::string pydantic_extra(const program::Program& program, program::ClassId cls);

}  // namespace lockstep::report
