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
  std::uint32_t more_sites = 0;  ///< Further call sites between the same two functions.
  bool shown_before = false;     ///< Its own callers / callees stand elsewhere in the tree.
  bool closes_cycle = false;     ///< It stands above itself in the tree.
};

/// A tree of callers or callees, to depth kTraceDepth.
struct TraceTree {
  std::vector<TraceLine> lines;  ///< Depth first.
  std::size_t left_out = 0;      ///< Neighbours of shown functions that did not fit.
};

/// The way from where runs start.
struct TraceWay {
  program::FunctionId entry;
  program::EntryKind kind;
  program::CallPath path;
};

/// What `--to` may mean: functions of the repository, or external ones by their dotted names.
struct TraceTarget {
  std::string name;                            ///< As asked for.
  std::vector<program::FunctionId> functions;  ///< Sorted.
  std::vector<std::string> external;           ///< Sorted; "torch.distributed.all_reduce".
};

/// A path to a target. For an external one the last step is `external_call`, made in the last function of `path`.
struct TracePath {
  program::CallPath path;
  program::CallId external_call;  ///< None for a target inside the repository.
  std::string_view external;
  std::size_t distance = 0;  ///< Of the external call's function from the symbol.
};

struct Trace {
  program::FunctionId symbol;
  // Without a target:
  std::vector<TraceWay> ways;  ///< Nearest scripts, then nearest tests.
  std::size_t scripts = 0;     ///< Scripts, and tests, that reach it.
  std::size_t tests = 0;
  TraceTree callers;
  TraceTree callees;
  /// Calls by the symbol's name whose target is not known, outside tests first: any of them may run it.
  std::vector<program::CallId> unresolved_namesakes;
  // With one:
  std::optional<TraceTarget> to;
  std::vector<TracePath> paths;  ///< Shortest first.
  std::size_t paths_left_out = 0;
  bool may_be_more = false;  ///< The search stopped at its bound.
  std::size_t unresolved =
      0;  ///< Calls without a known target in what the symbol reaches; paths may lead through them.
};

inline constexpr int kTraceDepth = 4;
inline constexpr std::size_t kTraceLines = 60;
inline constexpr std::size_t kTracePaths = 10;
inline constexpr std::size_t kTracePathsSearched = 60;

/// The function that `name` means: its qualified name, or an unambiguous end of one ("MoELayer.forward"); a class means
/// its `forward`, `__call__` or `__init__`, a module ("pkg.mod" or its path) its code. Of several, the only one outside
/// the tests. Error: none (with the nearest) or several (with the first few and their places).
Result<program::FunctionId> find_symbol(const program::Program& program, std::string_view name);

/// As find_symbol, but a class means all its methods and a module or path all its functions: what a graph can be
/// centred on.
Result<std::vector<program::FunctionId>> find_focus(const program::Program& program, std::string_view name);

/// What `--to` may mean: the function of this qualified name; else all functions and methods of classes whose names end
/// so, and all external functions that do and that the repository calls. Error: none.
Result<TraceTarget> find_target(const program::Program& program, std::string_view name);

Trace make_trace(const program::Program& program, program::FunctionId symbol, std::optional<TraceTarget> to);

Document write_trace(const program::Program& program, const mesh::MeshAnalysis& mesh, const Trace& trace,
                     bool collectives_only);

}  // namespace lockstep::report
