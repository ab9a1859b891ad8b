// Steps in whose place one call of a new function stands: told as one edit, not as so many things that are no longer
// done.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

struct ReplacedSteps {
  std::size_t call = Step::kNone;   ///< Of the after side.
  std::vector<std::size_t> before;  ///< What stood there, in the order of the source.
};

/// Only where nothing else came in their place, where none of them went elsewhere, and where none checks anything or
/// issues a collective: that is told by itself.
std::vector<ReplacedSteps> replaced_steps(const DocumentInputs& inputs, const Actor& actor);

/// Whether the step of the before side is one of them.
bool is_replaced(const std::vector<ReplacedSteps>& replaced, std::size_t index);
/// " in place of 9 steps"; empty where the step of the after side is no such call.
std::string replaced_words(const std::vector<ReplacedSteps>& replaced, std::size_t call);

}  // namespace lockstep::report
