// The commands for agents: the server of the Model Context Protocol, and the skill.
#pragma once

#include "cli/options.h"

namespace lockstep::cli {

/// Serves standard input and output until the input ends. Does not return while it serves.
int run_mcp(const Options& options);
/// Writes the skill's files below options.skill_folder. Files that differ are left alone without --force.
int run_skill(const Options& options);

}  // namespace lockstep::cli
