// Parameters of private functions that only ever get numbers above zero: `_round_up(n, ALIGNMENT)`.
#pragma once

#include <string_view>

#include "program/program.h"

namespace lockstep::report {

/// Whether every call of the function, which has a private name and does nothing else to the parameter than read it,
/// gives the parameter a number above zero: as a literal, as a constant of the caller's module, or by its default. Not
/// where no call is known, one may give something else, or the function may be called unseen.
bool gets_positive_numbers(const program::Program& program, program::FunctionId function, std::string_view parameter);

}  // namespace lockstep::report
