// What one function does around a call that starts a transfer: the group that its operations name, and whether the
// same function waits for it. Read from the tree alone, without values.
#pragma once

#include <string>

#include "python/tree.h"
#include "text/source.h"

namespace lockstep::mesh {

/// Source text of the group that every `P2POp(…)` of `function` names, where the operations given to the
/// `batch_isend_irecv` at `batch` are surely those; else empty.
std::string group_of_operations(const python::Node& function, const python::Call& batch, const SourceText& source);

/// Whether `function` itself may wait for what `call` gives: by `.wait()` on it, on what it is kept in, or on what a
/// loop takes out of that.
bool waits_for(const python::Node& function, const python::Call& call, const SourceText& source);

}  // namespace lockstep::mesh
