// What a call gives by name or by place, as it is written. Knows no rule and no program.
#pragma once

#include <cstddef>
#include <string_view>

#include "python/tree.h"

namespace lockstep::rules {

/// What the call gives by the keyword, else at the position (from 0); null where it gives nothing there, or
/// `*something` may.
const python::Expr* argument_of(const python::Call& call, std::size_t position, std::string_view keyword);

}  // namespace lockstep::rules
