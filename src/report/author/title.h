// Which changed definition a change's title speaks of.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Lower-case words of a title or name, split at everything that is no letter or digit and at capitals.
std::set<std::string> name_words(std::string_view text);

/// The changed function that holds words of the title which few others of the change hold, in its name, its docstring
/// or its new code, and clearly more of them than the heaviest does, becomes the heaviest: what a title names carries
/// the change, however much else had to follow. Trifles do not.
void weigh_title(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
