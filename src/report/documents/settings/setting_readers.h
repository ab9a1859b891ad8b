// Who reads a setting, in words.
#pragma once

#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// "Its name is read at least in `f` and others."; empty where who reads it may read another one of the name, where
/// nobody but `without` (marked text) is known to, and of a setting that was there where nearly all the repository does.
std::string readers_text(const Flag& flag, const std::string& without = {});

}  // namespace lockstep::report
