// An argument that a change newly gives to a function -> the ways through that function that leave it unread: what the
// caller asks for is silently dropped there.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// At most two questions: a function that reads the argument somewhere, and that returns what another call gives where
/// nothing before it on that way has read it. Only calls that surely enter one function of the repository.
void add_unread_arguments(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
