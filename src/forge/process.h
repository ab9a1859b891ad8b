// Runs a program of the user's (git, gh) without a shell and without a terminal: arguments and extra environment in,
// what it printed out. Bounded in time and output.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace lockstep::forge {

struct ProcessRequest {
  std::vector<std::string> arguments;  ///< The program, looked up on the path, and its arguments.
  /// "NAME=value", in addition to ours; "NAME" takes one away. Secrets go here, never in arguments.
  std::vector<std::string> environment;
  double limit_seconds = 30;
};

struct ProcessOutput {
  int exit_code = 0;  ///< 128 + the signal that ended it.
  std::string standard_output;
  std::string standard_error;  ///< May hold credentials that the program printed: mask before showing.
};

/// Error: no such program, or it ran past the limit (and was ended).
Result<ProcessOutput> run_process(const ProcessRequest& request);

}  // namespace lockstep::forge
