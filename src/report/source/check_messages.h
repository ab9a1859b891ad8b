// The messages of assertions and raised errors.
#pragma once

#include "python/tree.h"
#include "report/source/code.h"

namespace lockstep::report {

/// The message of an assertion, or of the exception that a statement raises; null for none and for other nodes.
const python::Expr* message_of(const python::Node* node);

/// Whether the node has a message of five words or more: a name or `"bad"` says no more than the condition.
bool says_a_sentence(const python::Node* node, const SourceText& source);

}  // namespace lockstep::report
