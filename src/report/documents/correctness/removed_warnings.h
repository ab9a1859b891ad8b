// Comments that warned of what can go wrong, and that are gone: whether what they warned of is gone, too.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk for each comment of a changed function that spoke of a race, a hang, stale values or their like, or said
/// that something is so on purpose, that the change takes out, and that its new text does not say again.
void add_removed_warnings(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

/// One risk for each assertion or raise of a changed function that changes, or makes room for another one, and whose
/// message gave a reason which nothing that the change writes says again.
void add_removed_reasons(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
