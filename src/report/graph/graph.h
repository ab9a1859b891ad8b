// Program + mesh -> the code graph as a model: files and functions with what they call, and what matters about them
// (entry points, the training step, loops, collectives, host syncs, fan-in). Free of any format; render/graph_*.cpp
// turn it into bytes. Left out: statements inside functions, external callees' own structure, and texts that only some
// formats print (parameters, docstrings: graph_facts.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/mesh.h"
#include "program/program.h"
#include "program/queries.h"

namespace lockstep::report {

/// One callee of a function; several call sites of the same callee are one edge.
struct GraphEdge {
  static constexpr std::uint32_t kExternal = 0xffffffffu;
  std::uint32_t to = kExternal;                               ///< Index into GraphModel::nodes, or kExternal.
  std::string_view name;                                      ///< Qualified name of the callee, internal or external.
  program::Certainty certainty = program::Certainty::kExact;  ///< Of the surest call site.
  program::CallKind kind = program::CallKind::kDirect;        ///< Of the first call site.
  bool in_loop = false;                                       ///< A call site stands in a loop of the caller.
  std::span<const std::uint32_t> lines;  ///< Of the call sites, from 0, ascending, one for each site.

  [[nodiscard]] bool is_internal() const { return to != kExternal; }
};

/// A collective that a function issues itself.
struct GraphCollective {
  std::string_view operation;
  std::string group;  ///< For people: "tp", "every rank", or the source text.
  std::uint32_t line = 0;
};

/// A call that makes the host wait for the device (rules/training/sync_ops_table.h).
struct GraphHostSync {
  std::string_view name;
  std::uint32_t line = 0;
  bool is_sure = true;  ///< False: waits only if the value, of which nothing is known, is a tensor on the device.
};

struct GraphNode {
  program::FunctionId function;
  std::uint32_t file = 0;  ///< Index into GraphModel::files.
  std::string_view qualified_name;
  std::string_view local_name;   ///< Below its module: "Class.method"; the whole name for a module's body.
  std::uint32_t first_line = 0;  ///< From 0, of the `def`.
  std::uint32_t last_line = 0;
  bool is_entry = false;  ///< A script's code: where a run starts.
  bool is_test = false;   ///< A test function or method.
  bool is_constructor = false;
  bool is_dunder = false;
  bool is_module_body = false;
  bool is_lambda = false;
  bool is_hot = false;       ///< Runs every step, and often: a root of the step, in a loop, or from several places.
  int step_distance = -1;    ///< Calls from the training step, not through what runs once; -1: not reached.
  std::uint32_t fan_in = 0;  ///< Distinct callers, tests left out unless it is of the tests.
  std::uint32_t loop_callers = 0;  ///< Distinct callers that call it in a loop.
  double weight = 0;               ///< Functions below it that are its own share (graph_rank.h).
  std::uint32_t steps_ahead = 0;   ///< Of an entry: functions of the training step that its run reaches.
  double way = 0;                  ///< On the way from the main entry to the step: the part of it, to 1, that follows.
  double importance = 0;           ///< Higher matters more to a reader (graph_rank.h).
  std::span<const GraphEdge> calls;  ///< By first line, then name.
  std::vector<GraphCollective> collectives;
  std::vector<GraphHostSync> host_syncs;
  std::vector<std::string_view>
      config_reads;  ///< Fields read from a config object ("hidden_size", "training.steps"), sorted.
};

struct GraphFile {
  program::ModuleId module;
  std::uint32_t first_node = 0;  ///< Its module's body; its functions follow in the order of the source.
  std::uint32_t node_count = 0;
  bool is_test = false;
  bool is_shown = true;  ///< Below the paths asked for.
  // What the nodes' spans point to.
  std::vector<GraphEdge> edges;
  std::vector<std::uint32_t> lines;
};

/// What functions say by themselves, whatever they call. By function; views into the sources.
struct GraphGroundwork {
  std::vector<std::vector<std::string_view>> config_reads;  ///< As in GraphNode.
  std::vector<std::string> parameters;                      ///< parameters_of (graph_facts.h).
};

struct GraphModel {
  GraphModel() = default;
  GraphModel(const GraphModel&) = delete;
  GraphModel& operator=(const GraphModel&) = delete;
  GraphModel(GraphModel&&) = default;
  GraphModel& operator=(GraphModel&&) = default;

  const program::Program* program = nullptr;
  const GraphGroundwork* groundwork = nullptr;  ///< Of the program, if it was laid.
  std::vector<GraphNode> nodes;                 ///< Of the whole program, by path, then place.
  std::vector<GraphFile> files;                 ///< By path.
  std::vector<std::uint32_t> node_of;           ///< By function id.
  std::vector<std::uint32_t> focus;             ///< Nodes that the reader asked to centre on, sorted; may be empty.
  std::vector<int> focus_distance;  ///< By node, calls in either direction from the focus; empty without one.
  // Of the shown files alone:
  std::size_t shown_files = 0;
  std::size_t shown_nodes = 0;
  std::size_t call_edges = 0;      ///< Between shown nodes.
  std::size_t contains_edges = 0;  ///< Class or function contains function.

  [[nodiscard]] bool is_shown(const GraphNode& node) const { return files[node.file].is_shown; }
  [[nodiscard]] std::span<const GraphNode> nodes_of(const GraphFile& file) const {
    return std::span<const GraphNode>(nodes).subspan(file.first_node, file.node_count);
  }
};

struct GraphOptions {
  std::vector<std::string> paths;          ///< Files or folders to show; all when empty.
  std::vector<program::FunctionId> focus;  ///< What to centre on; may be empty.
  std::size_t jobs = 1;
  const GraphGroundwork* groundwork = nullptr;  ///< Of the program, if it was laid already; it must outlive the model.
};

/// Looks through all functions of a program, whose calls need not be known yet.
GraphGroundwork lay_graph_groundwork(const program::Program& program);

/// True if `path` is one of `paths` or below one that is a folder; always when there are none.
bool is_below(std::string_view path, std::span<const std::string> paths);

/// The graph of a program. The result does not depend on `jobs`. It refers to `program`, which must outlive it.
GraphModel make_graph(const program::Program& program, const mesh::MeshAnalysis& mesh,
                      std::span<const program::Reached> step_path, const GraphOptions& options);

/// The two halves of make_graph: first what the program alone says, which the mesh can be worked out beside; then
/// collectives, and how much each node matters.
GraphModel begin_graph(const program::Program& program, std::span<const program::Reached> step_path,
                       const GraphOptions& options);
void complete_graph(GraphModel& model, const mesh::MeshAnalysis& mesh);

}  // namespace lockstep::report
