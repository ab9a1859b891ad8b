// Functions that another function of their file held, or holds now: the same code, elsewhere.
#pragma once

#include <string>

#include "change/change.h"

namespace lockstep::report {

/// "moved out of `f`", "moved into `f`" of a function that keeps its name and file; empty for all others.
std::string nesting_words(const change::EntityChange& entity);

}  // namespace lockstep::report
