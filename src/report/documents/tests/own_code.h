// Tests of a file that imports nothing of the repository: what they check is code of their own, whatever it is called.
#pragma once

#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// "its file imports no code of the repository and defines `unpermute_with_del` (`test_a.py:31`) itself", without the
/// second half where the file defines no function named after a changed one; empty for tests of other files, and of
/// those that start programs or import by computed names.
std::string own_code_words(const DocumentInputs& inputs, const Story& story, const Actor& test);

}  // namespace lockstep::report
