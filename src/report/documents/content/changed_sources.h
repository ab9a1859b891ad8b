// Where values come from another source (story/communication/changed_sources.h), in words: one item for all of a
// function, and a question where both sources are asked now.
#pragma once

#include <string>
#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One item for "What" each, at most two: "`f` takes 3 values from its parameter `pg` instead of from functions of
/// `a.py`: `pg.tp.size()` for `get_size()`, …".
std::vector<std::string> changed_source_items(const DocumentInputs& inputs, const Story& story);

/// Questions on functions that still ask such functions beside the object: are these the same process groups? At most
/// two.
void add_mixed_sources(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
