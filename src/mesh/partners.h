// What must agree between the two branches of a condition on the rank beyond the sequence of collectives: the buffers
// that meet, and the partners of point-to-point operations. Straight lines of one function only.
#pragma once

#include <optional>

#include "mesh/interpreter.h"
#include "mesh/trace.h"

namespace lockstep::mesh {

/// Looks once over the program for point-to-point operations.
void note_point_to_point(Interpreter& interpreter);

/// Events of one kind that stand directly in `sequence` (choices below it included, callees not), in order.
std::vector<TraceEvent> events_in(const Sequence& sequence, bool point_to_point);

/// `all_reduce(x); all_reduce(y)` against `all_reduce(y); all_reduce(x)`: the first event whose buffer meets another
/// one.
std::optional<TraceEvent> swapped_buffers(const TraceNode& choice);

/// A send or recv in one branch only, in a program that has nothing of the opposite kind anywhere.
std::optional<TraceEvent> without_partner(const Interpreter& interpreter, const TraceNode& choice);

/// A send in one branch and a recv of the same buffer in the other, where its extent differs between the ranks.
std::optional<TraceEvent> uneven_transfer(const TraceNode& choice);

}  // namespace lockstep::mesh
