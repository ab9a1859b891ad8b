// Ways that are taken while an attribute is still `None`, and that then give it a value: what is made at the first step
// and kept for the later ones.
//   if self.traced is None:
//       self.traced = trace(model)
//       self.traced.graph = run_passes(self.traced.graph)
#pragma once

#include <string_view>

#include "program/program.h"
#include "report/story/story.h"

namespace lockstep::report {

/// The attribute of `self` for which that is so on the way: a call on it stands in a branch that asks for `None`, and
/// the branch itself sets it, in any case or under conditions; empty where there is none.
std::string_view filled_once(const program::Program& program, const EntryPath& way);

}  // namespace lockstep::report
