// The tree of one module -> ModuleCode. Local variables are split into versions (static single assignment with
// branches, loops, try and isinstance tests followed), so that `x = a; x = b; x()` calls b alone. Looks at one module
// only.
#pragma once

#include "program/flow/code.h"

namespace lockstep::program::flow {

ModuleCode lower(const Program& program, ModuleId module);

}  // namespace lockstep::program::flow
