// What a name is set to on each of several branches: what one assignment alone does not show.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// What a step that is a plain assignment sets; empty for others.
std::string set_by(const Step& step, const SourceText& source);

/// Whether several places that go set what the old step `index` sets: none of them alone became what sets it now.
bool is_one_of_several_stores(const Actor& actor, std::size_t index);

/// What a changed assignment's target was set to, where branches before it each set it: their values, as code, the
/// one that became this one among them; empty for others.
std::vector<std::string> values_of_branches(const Actor& actor, const Step& step);

}  // namespace lockstep::report
