// Calls that a change adds to its functions: what moved, or took the place of one like it, is not among them.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "report/story/calls/made_calls.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Calls that the change adds, by function: neither the old version of it made them as often, nor did one from which
/// they moved.
class NewCalls {
 public:
  NewCalls(const DocumentInputs& inputs, const Story& story);

  /// The new calls of one function; what moved there from one of which `counts` is no longer given to another.
  std::set<const python::Call*> of(const Actor& actor, const std::function<bool(const Actor&)>& counts);

 private:
  struct One {
    std::vector<MadeCall> fresh;
    GoneCalls gone;
  };
  std::map<const Actor*, One> all_;
};

}  // namespace lockstep::report
