// Who calls a function whose signature changes: the call sites that have to follow.
#pragma once

#include <vector>

#include "program/program.h"

namespace lockstep::report {

struct CallSites {
  std::vector<const program::CallSite*> sites;  ///< Outside tests.
  /// A decorator stands between the calls and the function, so that these are the calls by its name that enter nothing
  /// else for sure.
  bool by_name = false;
};

/// Call sites of the function, those of tests left out. Where it is decorated, neither the decoration nor the call
/// inside the wrapper is one.
CallSites call_sites_of(const program::Program& program, program::FunctionId function);

}  // namespace lockstep::report
