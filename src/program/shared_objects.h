// Whether two classes can speak of one object: what one sets on `self`, the other may read.
#pragma once

#include "program/program.h"

namespace lockstep::program {

/// Whether an object can be of both classes: one derives from the other, or a class of the repository derives from
/// both. False where either is none.
bool may_share_objects(const Program& program, ClassId a, ClassId b);

}  // namespace lockstep::program
