// An argument that a call gives to a class of fields, otherwise than before -> the places that call what the field
// holds or decide by it. By the field's name, where no other class has one of that name.
#pragma once

#include "report/story/calls/changed_arguments.h"
#include "report/story/calls/followed.h"

namespace lockstep::report {

/// Rank 0 where the call makes no such object, or nothing that was found calls the field or decides by it.
FollowedArgument read_as_field(const DocumentInputs& inputs, const ChangedArgument& argument);

}  // namespace lockstep::report
