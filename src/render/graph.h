// The graph model -> bytes in each format of `lockstep graph`. Lines become 1-based here; names are escaped as each
// format needs.
#pragma once

#include <cstddef>
#include <string>

#include "report/graph.h"

namespace lockstep::render {

/// For a language model: the files that matter most first, each function with its lines, its callees by qualified name, and
/// marks for entry points, the step path, collectives with their groups, host syncs and config fields. About `tokens` tokens
/// (4 characters each); what was left out is counted. 0: everything.
std::string render_graph_llm(const report::GraphModel& model, std::size_t tokens);
/// The layout that other dependency-graph tools print for language models: a key, a directory tree, clusters, edge patterns.
std::string render_graph_embargo(const report::GraphModel& model);
/// Everything, for programs: files, nodes, edges with certainty, kind and lines.
std::string render_graph_json(const report::GraphModel& model);
/// `{"pkg.mod.caller": ["pkg.mod.callee", …]}`, the form that call-graph generators share; module code has the module's name.
std::string render_graph_callgraph(const report::GraphModel& model);
/// Graphviz.
std::string render_graph_dot(const report::GraphModel& model);
/// The module graph as one Mermaid flowchart within GitHub's limits.
std::string render_graph_mermaid(const report::GraphModel& model);

}  // namespace lockstep::render
