// `lockstep playbook check|write|rules`: from Options to bytes and an exit code.
#pragma once

#include "base/timings.h"
#include "cli/options.h"

namespace lockstep::cli {

int run_playbook(const Options& options, Timings& timings);

}  // namespace lockstep::cli
