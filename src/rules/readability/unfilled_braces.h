// Messages with braces that nothing fills in: `raise ValueError("no {name}")` of a variable at hand, whose quotes lack
// the `f`. A part of log-arguments-lost, which says what is left out.
#pragma once

#include <vector>

#include "rules/hits.h"
#include "rules/names/names.h"

namespace lockstep::rules {

/// Appends the hits of one function, of the rule `rule`; `names`: of its file.
void find_unfilled_braces(const program::Program& program, std::string_view rule, const ScopeNames& names,
                          program::FunctionId function, std::vector<Hit>& hits);

}  // namespace lockstep::rules
