// Which values surely live on the host, as arrays of numpy do: reading them makes nothing wait for a GPU.
#pragma once

#include "program/program.h"
#include "report/source/apis.h"

namespace lockstep::report {

/// Whether what a value is taken from is made by numpy: where it stands (`np.where(…).flatten()`,
/// `einops.rearrange(np.arange(4), …)`), or in every assignment to the local of the function that it is.
bool is_made_by_numpy(const program::Program& program, program::FunctionId function, const python::Expr* value);

/// What is known of a method by its name alone, on a value that may be a tensor; null for calls of no method, and of
/// arrays of numpy.
const KnownApi* method_of_value(const program::Program& program, const python::Call& call);

}  // namespace lockstep::report
