// Calls whose tensor Python has to take for true or false: the host waits for the GPU there, whatever the call does.
#pragma once

#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// What such a call does, as `KnownApi::effect` says it of others.
inline constexpr std::string_view kTestedEffect = "makes the host wait for the GPU where its truth is asked";

/// `x.isfinite()` of `if not x.isfinite():`: the calls in conditions of the statement itself (`if`, `while`, `assert`,
/// `a if c else b`; not of what its blocks hold) that give a tensor which may live on the GPU. `function`: whose
/// statement it is; none where that is not known.
std::vector<const python::Call*> tensors_tested(const program::Program& program, program::FunctionId function,
                                                const python::Node& statement);

}  // namespace lockstep::report
