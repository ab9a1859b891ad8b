// The names of data that an expression reads.
#pragma once

#include <string>
#include <vector>

#include "python/tree.h"

namespace lockstep::report {

/// Adds variables and "self.x" chains that the expression reads to `out`: no callees, nothing that is only asked
/// whether it is there, nothing that only says how a call keeps data (its type, its device), and nothing that its
/// comprehensions bind.
void names_in(const python::Node& node, std::vector<std::string>& out);

}  // namespace lockstep::report
