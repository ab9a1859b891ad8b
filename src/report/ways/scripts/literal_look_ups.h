// Scripts that name what they look up themselves: `parse_args(["--config", "llama_8b"])` comes to no other one.
#pragma once

#include "program/program.h"

namespace lockstep::report {

/// Whether the script's own file holds the names of functions that stand beside `looked_up`, or in a module of the same
/// last name, as texts, and not its name.
bool looks_up_another(const program::Program& program, program::ModuleId script, program::FunctionId looked_up);

/// Whether the script is part of an experiment (`experiments/x/`), and the function of none, or of another one.
bool is_of_another_experiment(const program::Program& program, program::ModuleId script, program::FunctionId looked_up);

}  // namespace lockstep::report
