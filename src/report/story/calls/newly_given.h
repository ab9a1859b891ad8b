// Calls that give an argument now which their callee took before, and which they did not give: what it did without is
// switched there.
#pragma once

#include <functional>
#include <string_view>

#include "change/entities.h"

namespace lockstep::report {

/// Whether a call of what the old version called, too, gives a keyword argument more: one that is not off (`None`,
/// `False`) and that the change does not bring.
bool gives_old_parameter(const change::EntityChange& entity, const std::function<bool(std::string_view)>& is_brought);

}  // namespace lockstep::report
