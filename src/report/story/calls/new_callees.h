// The functions that a definition calls now and did not call before.
#pragma once

#include <vector>

#include "change/change.h"
#include "program/program.h"

namespace lockstep::report {

/// Those with code of their own in `after`, in the order of the calls, which name none that stood there before. Empty
/// for what is no function on the after side.
std::vector<program::FunctionId> newly_called(const program::Program& after, const change::EntityChange& entity);

/// Whether one of them raises an exception of this name ("ValueError") in its own body.
bool newly_called_raises(const program::Program& after, const change::EntityChange& entity, std::string_view kind);

}  // namespace lockstep::report
