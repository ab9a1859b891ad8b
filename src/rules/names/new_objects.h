// What a call of a class gives. Linked program in, answers out.
#pragma once

#include "program/program.h"

namespace lockstep::rules {

/// Whether each call of the class surely gives a new object of this class: no decorator but that of dataclasses, no
/// `__new__` and no keyword of a class header (`metaclass=…`) of it or of a class above it, and no class above it
/// outside the repository of which that is not known. `metaclass=ABCMeta` makes objects like any class.
bool gives_new_object(const program::Program& program, program::ClassId cls);

}  // namespace lockstep::rules
