// A decorator in place of a `with` around all that a function does, or the other way round: what runs is the same.
//   def merge(x):                         @torch.no_grad()
//       with torch.no_grad():      ->     def merge(x):
//           return torch.cat(x)               return torch.cat(x)
#pragma once

#include <string_view>

#include "report/story/story.h"

namespace lockstep::report {

/// Whether all of the old body stood in `with decorator:`, and that block goes.
bool stood_in_block(const Actor& actor, std::string_view decorator);
/// Whether all of the new body stands in `with decorator:`, and that block comes.
bool stands_in_block(const Actor& actor, std::string_view decorator);

}  // namespace lockstep::report
