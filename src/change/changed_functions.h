// A change -> the functions of one side that it touches.
#pragma once

#include <vector>

#include "change/change.h"
#include "program/program.h"

namespace lockstep::change {

/// Changed functions, and the methods of changed classes: of the new version where `is_after`, else of the old one,
/// whose program is given. A method may be in it twice.
std::vector<program::FunctionId> changed_functions(const Change& change, const program::Program& program,
                                                   bool is_after);

}  // namespace lockstep::change
