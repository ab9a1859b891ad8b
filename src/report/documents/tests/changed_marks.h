// Tests that a change takes a mark off, or puts one on: skipped no longer, or from now on; the same of those that are
// expected to fail.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// "No longer marked to be skipped: `test_size` (`tests/a.py:3`). The mark said: “…”.": of tests, of classes of tests
/// and of their files, each by its own marks; at most `most`. Of a test that something else still skips it is not said
/// that it is skipped no longer.
std::vector<std::string> changed_marks(const DocumentInputs& inputs, const Story& story, std::size_t most);

}  // namespace lockstep::report
