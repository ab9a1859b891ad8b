// Whether what a change takes away is done in another form by what it adds.
#pragma once

#include <set>
#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// Every identifier on the lines that the change adds outside tests, comments aside.
std::set<std::string, std::less<>> added_names(const DocumentInputs& inputs);

/// Whether the removed step, with all inside it, may have taken another form: what it calls, or sets on an object or in
/// a container, is named on added lines; or it only works out local values. A check that goes is gone, unless what it
/// told people is told by something else.
bool may_have_other_form(const Actor& actor, std::size_t index, const std::set<std::string, std::less<>>& added);

}  // namespace lockstep::report
