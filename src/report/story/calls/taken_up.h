// Assignments that a method did for its caller and that the caller does itself now: what else calls the method goes
// without them.
//   reset():    self.clear(); self.steps = 0          clear() set `self.steps` to 0 before
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

struct TakenUp {
  struct Told {
    std::string text;  ///< "sets `self.a` to `0` itself now; `clear` no longer does, which `f` (…) calls, too".
    std::vector<std::string> where;  ///< Conditions under which it does; marked text.
  };
  std::vector<Told> told;
  std::set<std::size_t> steps;  ///< Indices of the after side that they tell.
};

/// Of the new assignments to attributes of `self` of a changed method: those that a method which it calls on `self`,
/// before and now, made in any case, and does not make any more. Under the conditions of that call, no others.
TakenUp taken_up(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
