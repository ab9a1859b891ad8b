// Files of a change by where they stood.
#pragma once

#include <string_view>

#include "change/change.h"

namespace lockstep::report {

/// The file of the change that stood at the path before it; null where none did.
const repo::FileChange* file_before(const change::Change& change, std::string_view path);

}  // namespace lockstep::report
