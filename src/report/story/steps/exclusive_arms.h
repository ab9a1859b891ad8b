// Places of which one run of a function passes one or the other: in the two arms of an `if`.
#pragma once

#include "python/tree.h"

namespace lockstep::report {

bool are_exclusive(const python::Node& function, Span one, Span other);

}  // namespace lockstep::report
