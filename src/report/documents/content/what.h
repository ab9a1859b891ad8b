// "What": the items that say what a change brings, in order of weight, and by name what there is no room to tell.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/author/why.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Settings, new names and central and supporting entities, as marked text: about `most`, one with
/// `in_short` others in a line each, and what counts the rest.
std::vector<std::string> what_items(const DocumentInputs& inputs, const Story& story, const OwnWords& own,
                                    std::size_t most, std::size_t in_short);

}  // namespace lockstep::report
