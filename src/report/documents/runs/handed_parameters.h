// Functions of a change that do nothing but hand a new parameter of theirs on to what they call.
#pragma once

#include <string>
#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

struct HandedParameter {
  std::string parameter;
  std::string text;                  ///< Marked text: "`f` and `g` take the new `x`, too, and hand it on."
  std::vector<const Actor*> actors;  ///< Those that it names.
};

/// Of `actors`, two or more that newly take a parameter of one name and change in nothing but how they hand it on: one
/// sentence for each name, in the order of their first.
std::vector<HandedParameter> handed_parameters(const DocumentInputs& inputs, const std::vector<const Actor*>& actors);

}  // namespace lockstep::report
