// A long way from a script to changed code, call by call.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Rows "`f` → `g`", place of the call, conditions around it. Empty where the text of the way leaves no call out.
std::vector<std::vector<std::string>> way_rows(const DocumentInputs& inputs, const EntryPath& path);

}  // namespace lockstep::report
