// Calls between two functions: whether there is one, and whether it gives a parameter under the name that it has.
#pragma once

#include <cstddef>

#include "change/change.h"
#include "program/program.h"
#include "python/tree.h"

namespace lockstep::report {

/// Whether the entity's version after the change calls `callee`.
bool calls(const program::Program& after, const change::EntityChange& caller, program::FunctionId callee);

/// The call inside `span` of `node`, outside nested definitions, that begins first; null where there is none.
const python::Call* first_call_in(const python::Node& node, Span span);

/// Whether parameter `index` of `callee` is given by the call under its own name; `self` as the same object.
bool passes_name(const python::Call& call, const program::Function& callee, std::size_t index);

/// The same of every parameter that the callee's body reads.
bool passes_all_names(const python::Call& call, const program::Function& callee);

}  // namespace lockstep::report
