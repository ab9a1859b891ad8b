// Locals that a changed function sets and uses -> what each is for: what it decides, where it goes, what changes it.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// "`x` (line 5): decides the branch at line 8; is passed to `f` (lines 9 and 12)", marked text, at most `most`. Of
/// locals that changed steps set, that the function binds once and more than one later step reads: what reads another
/// one reads one of several values, and what is used once explains itself.
std::vector<std::string> variable_roles(const DocumentInputs& inputs, const Actor& actor, std::size_t most);

}  // namespace lockstep::report
