// A new function that does something under one condition alone: what it gives back where that does not hold.
#pragma once

#include <string>

#include "report/story/wording/words.h"

namespace lockstep::report {

/// " It returns `x` as it was given unless …." of a function whose only effect stands in one `if` without an `else`,
/// which sets a parameter that it returns at its end; empty for all others.
std::string unchanged_input_words(const WordsContext& context);

}  // namespace lockstep::report
