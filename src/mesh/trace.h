// Collective traces: what a function does towards other ranks, as a small tree of events, choices, loops, exits, tries
// and calls. Built by the interpreter, compared by divergence.cpp, shown by trace_text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mesh/models.h"
#include "mesh/values.h"
#include "program/program.h"

namespace lockstep::mesh {

struct FunctionResult;

enum class TraceKind : std::uint8_t { kEvent, kCall, kChoice, kLoop, kExit, kTry };
enum class ExitKind : std::uint8_t { kReturn, kRaise, kBreak, kContinue, kProcess };

/// One collective as it stands in one function under one context.
struct TraceEvent {
  program::FunctionId function;
  const python::Call* call = nullptr;
  const CollectiveModel* model = nullptr;
  GroupId group = 0;
  bool is_async = false;
  Variation extent;  ///< Of the buffer.
};

/// A condition, by the key of its text, that is taken to hold or to fail.
struct Assumption {
  std::uint64_t key = 0;
  bool holds = false;
  std::uint64_t subject =
      0;  ///< `subject == constant`: where it holds, subject equals no other constant. 0: no equality.
  std::uint64_t constant = 0;
};

/// One condition as a trace knows it: by the key of its text, up to negation.
struct ConditionPart {
  std::uint64_t key = 0;      ///< 0: not known.
  bool negated = false;       ///< It is the negation of its key.
  std::uint64_t subject = 0;  ///< Of `subject == constant`; 0: no equality.
  std::uint64_t constant = 0;
};

struct TraceNode;
using Sequence = std::vector<TraceNode>;

struct TraceNode {
  TraceKind kind = TraceKind::kEvent;
  const python::Node* place = nullptr;  ///< Call, condition, iterable, or the statement that exits.
  Variation varies;                     ///< kChoice: of the condition. kLoop: of the trip count.
  Variation order;                      ///< kLoop: of the order of iteration.
  TraceEvent event;                     ///< kEvent
  ExitKind exit = ExitKind::kReturn;    ///< kExit
  /// kCall: what may be called (each communicates), whether that is all there is, and the call site.
  std::vector<const FunctionResult*> callees;
  bool callees_exact = true;
  program::CallId call;
  /// kChoice: then, else. kLoop: body, else. kTry: body, else, finally, then one for each handler.
  std::vector<Sequence> branches;
  ConditionPart condition;           ///< kChoice: the whole condition.
  std::vector<ConditionPart> parts;  ///< kChoice: of `a and b`, `a or b`.
  bool parts_are_and = false;
  bool is_direct = false;           ///< kChoice: a rank is compared, nothing is computed in between.
  std::vector<Assumption> uniform;  ///< kChoice: parts of the condition that all ranks agree on, where it divides them.
  bool is_guard = false;     ///< kChoice: asks whether the job is distributed at all; holds wherever this matters.
  bool uses_element = true;  ///< kLoop: the body uses what the loop iterates over.
};

/// What is known of one function in one context.
struct FunctionResult {
  program::FunctionId function;
  bool in_progress = true;
  bool is_root = false;       ///< Nothing is known of the arguments.
  bool communicates = false;  ///< The trace holds an event, here or in a callee.
  bool may_hide = false;      ///< Something that may communicate and is entered now is not in the trace, here or below.
  /// Of a root: its calls of what may communicate, and whether the trace hides none of what each comes to.
  std::vector<std::pair<program::CallId, bool>> calls;
  bool returns_value = false;
  Value returned;
  Bits argument_bits = 0;     ///< What its arguments vary along and the groups among them span.
  std::vector<Bits> cleaned;  ///< By parameter: dimensions along which a collective made it the same.
  Sequence trace;
  std::vector<std::pair<std::string_view, Value>> locals;  ///< What names hold at the end (closures, module globals).
  std::vector<std::pair<std::string_view, Value>> self_stores;  ///< `self.name = …`
};

/// True if a sequence leaves on every path (its last statement is an exit, in all branches).
bool always_exits(const Sequence& sequence);

/// One event a line, indented under conditions and loops; at most `limit` lines.
std::string trace_to_text(const program::Program& program, const DimensionTable& dimensions, const Groups& groups,
                          const FunctionResult& result, std::size_t limit);

}  // namespace lockstep::mesh
