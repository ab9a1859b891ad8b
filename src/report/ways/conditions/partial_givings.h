// Parameters that only `functools.partial` gives: what changes under one runs where the partial was made.
//   def regional_pass(gm, serializable=False): if serializable: …
//   elif config.artifact_dir: passes.append(functools.partial(PASSES[name], serializable=True))
#pragma once

#include <vector>

#include "program/program.h"
#include "report/ways/conditions/required_settings.h"

namespace lockstep::report {

/// What the settings have to be for the places in the function to run, each of which asks for a parameter that is off
/// by default and that code outside tests gives by its name in calls of `partial` alone. Empty for others.
std::vector<Required> required_by_partials(const program::Program& program, const RequiredSettings& required,
                                           program::FunctionId function, const std::vector<Span>& places);

}  // namespace lockstep::report
