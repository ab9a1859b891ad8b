// What a function asks before it comes to a piece of its code, in words that two versions can be compared by.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// The words of each condition around `target`, outermost first: `a and b` are two, and so is `not (a or b)`.
std::vector<std::string> asked_around(const python::Node& function, Span target, const SourceText& source);

/// ", formerly when `a` is set": of step `index` of the after side, a new branch that holds one step alone, which was
/// there under conditions that are not asked there now. Empty for others.
std::string former_conditions(const Actor& actor, std::size_t index);

}  // namespace lockstep::report
