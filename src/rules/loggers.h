// Whether an expression is a logger of the standard library, which formats with `%`: others (loguru, structlog, classes
// of a repository) take a text and values in ways of their own. Knows no rule.
//
// Left out: loggers that other packages hand out, and parameters without an annotation: not known to be one.
#pragma once

#include "program/program.h"

namespace lockstep::rules {

/// True for the module `logging`, and for what the source shows to be made by `logging.getLogger`: a name of a module,
/// a local variable, a field of `self`, a function of the repository that returns one or says so in its annotation.
bool is_standard_logger(const program::Program& program, program::FunctionId function, const python::Expr& expression);

}  // namespace lockstep::rules
