// Groups that a function takes and fills itself where nobody passes one: `if group is None: group = dist.group.WORLD`.
#pragma once

#include <string_view>

#include "mesh/models.h"
#include "python/tree.h"

namespace lockstep::mesh {

/// The parameter of `function` that the call of a collective in it gives as its group, where all that the function ever
/// gives it itself stands for one that was not passed; empty for others.
std::string_view parameter_filled_as_group(const python::FunctionDef& function, const python::Call& call,
                                           const CollectiveModel& model);

}  // namespace lockstep::mesh
