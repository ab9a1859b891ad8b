// Calls of functions that objects keep in their attributes (`callback = getattr(param, NAME, None)`, then
// `callback()`): the call graph may not know what they enter.
#pragma once

#include <string>

#include "program/program.h"

namespace lockstep::report {

/// "`callback()` in `publish` (`a.py:3`) calls what it gets from an attribute, which was not followed; `setattr(p,
/// NAME, f)` (`b.py:7`) sets it": of the first call in the function of which it is not sure what it enters, as marked
/// text without a full stop. Who sets it only where one place outside tests does. Empty where there is no such call.
std::string kept_function_words(const program::Program& program, program::FunctionId function);

}  // namespace lockstep::report
