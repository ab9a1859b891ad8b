// Program + mesh -> the code graph as a model: files, classes and functions with what they call, and what matters about
// them (entry points, the training step, collectives, fan-in). Free of any format; render/graph_*.cpp turn it into bytes.
// Left out: statements inside functions, and external callees' own structure.
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
  static constexpr std::size_t kExternal = SIZE_MAX;
  std::size_t to = kExternal;  ///< Index into GraphModel::nodes, or kExternal.
  std::string_view name;       ///< Qualified name of the callee, internal or external.
  program::Certainty certainty = program::Certainty::kExact;
  program::CallKind kind = program::CallKind::kDirect;
  std::vector<std::uint32_t> lines;  ///< Of the call sites, from 0, ascending.
};

/// A collective that a function issues itself.
struct GraphCollective {
  std::string_view operation;
  std::string group;  ///< For people: "tp", "every rank", or the source text.
  std::uint32_t line = 0;
};

/// A call that makes the host wait for the device.
struct GraphHostSync {
  std::string_view name;
  std::uint32_t line = 0;
};

struct GraphNode {
  program::FunctionId function;
  std::string_view qualified_name;
  std::string parameters;      ///< As written, on one line, without the parentheses.
  std::uint32_t first_line = 0;  ///< From 0.
  std::uint32_t last_line = 0;
  bool is_entry = false;       ///< Where a run starts.
  bool is_test = false;
  bool is_constructor = false;
  bool is_dunder = false;
  bool is_module_body = false;
  bool is_lambda = false;
  int step_distance = -1;      ///< Calls from the training step; -1: not reached.
  std::size_t fan_in = 0;      ///< Distinct callers.
  std::size_t calls_in_loops = 0;  ///< Call sites of it that stand in a loop.
  std::vector<GraphEdge> calls;    ///< By first line, then name.
  std::vector<GraphCollective> collectives;
  std::vector<GraphHostSync> host_syncs;
  std::vector<std::string_view> config_reads;  ///< Fields read from a config object, sorted.
  double importance = 0;       ///< Higher matters more to a reader; the formula is in graph.cpp.

  /// Runs every step, or is called from a loop or from many places.
  [[nodiscard]] bool is_hot() const { return (step_distance >= 0 && step_distance <= 3) || (step_distance >= 0 && calls_in_loops > 0); }
};

struct GraphFile {
  program::ModuleId module;
  std::vector<std::size_t> nodes;  ///< Indices, in the order of the source.
  bool is_test = false;
};

struct GraphModel {
  const program::Program* program = nullptr;
  std::vector<GraphNode> nodes;  ///< By path, then line.
  std::vector<GraphFile> files;  ///< By path.
  std::size_t call_edges = 0;    ///< Between nodes of the model.
  std::size_t contains_edges = 0;  ///< Class or function contains function.
};

/// The graph of the files below `paths` (all when empty).
GraphModel make_graph(const program::Program& program, const mesh::MeshAnalysis& mesh,
                      std::span<const program::Reached> step_path, std::span<const std::string> paths);

}  // namespace lockstep::report
