// The calls of a changed function, before and after -> the arguments that a call gives now and did not give, gives no
// longer, or gives as another constant. Left out: calls whose `*` or `**` may hold the argument, calls that a step
// makes several times, and what only tells people something.
#pragma once

#include <string_view>
#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

struct ChangedArgument {
  const python::Call* before = nullptr;
  const python::Call* after = nullptr;
  std::string_view name;              ///< The keyword, or the parameter that takes the position.
  const python::Expr* was = nullptr;  ///< Null where it was not given.
  const python::Expr* now = nullptr;  ///< Null where it is not given any more.
};

/// In the order of the steps and of the arguments.
std::vector<ChangedArgument> changed_arguments(const DocumentInputs& inputs, const Actor& actor);

/// Arguments that the same calls give before and after, and that are written otherwise now: what is no constant.
std::vector<ChangedArgument> edited_arguments(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
