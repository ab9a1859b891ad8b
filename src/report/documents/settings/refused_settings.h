// Settings that the change only checks: the condition in which they stand is one that it refuses.
#pragma once

#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// `text` of the setting as flag_text() gives it, with "Refused: `x.a` is set" instead of "In the condition: `x.a` is
/// set" where a new or changed check of the change raises, or an assertion fails, in that condition; "Refused where
/// more holds, too" where the check stands under others.
std::string with_refusal(const Story& story, const Flag& flag, std::string text);

}  // namespace lockstep::report
