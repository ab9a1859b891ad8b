// Who calls the function that leads the story besides the one on the way that is told: a change to it reaches them,
// too.
#pragma once

#include <cstddef>
#include <string>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// "It is called, too, by `f` (`a.py:3`) and `g` (`b.py:7`)." of central[`index`], with the places of the calls: those
/// whose targets are sure, outside tests, that the change did not make, and that do not stand on the way itself. Empty
/// where there are none.
std::string other_callers_text(const DocumentInputs& inputs, const Story& story, std::size_t index);

}  // namespace lockstep::report
