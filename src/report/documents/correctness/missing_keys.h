// New `d.pop(key)` of a dictionary without a default: which keys it refuses.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// "What happens when `key` is not in `d`?" of calls of `pop` with a key alone that the change adds, on a parameter that
/// is annotated as a mapping, where nothing asks whether the key is there and nothing catches the `KeyError`.
void add_missing_keys(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
