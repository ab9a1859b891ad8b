// Whether the ranks of a group come to a collective together: what the mesh analysis knows of the conditions around the
// collectives that a change brings, or puts under other conditions. Says nothing where it is not known.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Sentences in marked text: "`all_reduce` over tensor-parallel group (tp) at line 44 runs only when …".
std::vector<std::string> taking_part(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
