// Runs one command: from Options to bytes on standard output and an exit code. The only room, with main.cpp, that
// prints.
#pragma once

#include "cli/options.h"

namespace lockstep::cli {

/// 0: fine; 1: findings at or above --fail-on; 2: could not run (standard error says why and what to do next).
int run(const Options& options);

}  // namespace lockstep::cli
