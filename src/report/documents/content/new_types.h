// New classes that a changed function takes objects of: what they hold explains what the function reads.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// "`Container` (new, `config.py:8`), a class of 12 fields: …" of each class without methods that the change adds outside
/// tests and that the annotation of a new parameter of a central function names; at most two, and none of `told`, the
/// qualified names that have items.
std::vector<std::string> new_type_items(const DocumentInputs& inputs, const Story& story,
                                        const std::set<std::string>& told);

}  // namespace lockstep::report
