// A symbol -> who reaches it, what it reaches, the paths to another symbol, and its collective trace.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "mesh/mesh.h"
#include "program/program.h"
#include "program/queries.h"
#include "report/document.h"

namespace lockstep::report {

/// A line of a callers or callees tree: a call path of which all steps but the last were shown before.
struct TraceLine {
  int depth = 0;  ///< 1: direct.
  program::CallId call;
  program::FunctionId function;  ///< The caller (upwards) or callee (downwards).
  program::Certainty certainty = program::Certainty::kExact;
  bool shown_before = false;     ///< Its own callers / callees stand elsewhere in the tree (or it closes a cycle).
};

struct Trace {
  program::FunctionId symbol;
  std::vector<TraceLine> callers;  ///< Depth first, to depth kTraceDepth.
  std::size_t callers_left_out = 0;
  std::vector<TraceLine> callees;
  std::size_t callees_left_out = 0;
  std::optional<program::FunctionId> to;
  std::vector<program::CallPath> paths;  ///< To `to`, shortest first.
};

inline constexpr int kTraceDepth = 4;
inline constexpr std::size_t kTraceLines = 60;
inline constexpr std::size_t kTracePaths = 10;

/// The function that `name` means: its qualified name, or an unambiguous end of one ("MoELayer.forward"); a class means
/// its `forward`, `__call__` or `__init__`. Error: none (with the nearest) or several (with the first few).
Result<program::FunctionId> find_symbol(const program::Program& program, std::string_view name);

Trace make_trace(const program::Program& program, program::FunctionId symbol, std::optional<program::FunctionId> to);

Document write_trace(const program::Program& program, const mesh::MeshAnalysis& mesh, const Trace& trace, bool collectives_only);

}  // namespace lockstep::report
