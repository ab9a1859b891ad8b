// Methods that are only there to be overridden.
#pragma once

#include "program/program.h"

namespace lockstep::rules {

/// Whether a decorator says that the function is abstract: `@abstractmethod`, `@abc.abstractproperty`.
bool is_abstract(const python::FunctionDef& function);
/// Whether the method is abstract, or all that it does is to refuse.
bool is_only_promised(const program::Program& program, program::FunctionId method);
/// Whether it does nothing at all: it is that, or its body is `pass`, `...` or a text.
bool is_without_body(const program::Program& program, program::FunctionId method);

}  // namespace lockstep::rules
