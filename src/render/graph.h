// The graph model -> bytes in each format of `lockstep graph`. Lines become 1-based here; names are escaped as each
// format needs. docs/graph.md explains every notation.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "render/graph_text.h"
#include "report/graph/graph.h"

namespace lockstep::render {

/// For a language model: an overview (packages, what they are for, what uses what), how a run goes from its entry
/// points, then functions file by file, the most important first, each with its lines, callees, collectives, host syncs
/// and config fields. Keeps to about `tokens` tokens (estimate_tokens) by leaving out whole functions; says how many.
/// 0: all. `names` are the model's; the result does not depend on `jobs`.
std::string render_graph_llm(const report::GraphModel& model, const ShortNames& names, std::size_t tokens,
                             std::size_t jobs = 1);
/// The layout that dependency-graph tools print for language models: key, directory tree, clusters, edge patterns.
std::string render_graph_embargo(const report::GraphModel& model);
/// Everything, for programs: files, nodes, edges with certainty, kind and lines.
std::string render_graph_json(const report::GraphModel& model);
/// `{"pkg.mod.caller": ["pkg.mod.callee", …]}`, the form that PyCG and other call-graph generators share: the code of a
/// module goes by the module's name, that of a class body by the class's, builtins are `<builtin>.len`, methods of
/// literals `<**PyStr**>.join`. Callers below `paths` (all when empty), sorted.
std::string render_graph_callgraph(const program::Program& program, std::span<const std::string> paths);
/// Graphviz.
std::string render_graph_dot(const report::GraphModel& model);
/// The module graph as one Mermaid flowchart within GitHub's limits.
std::string render_graph_mermaid(const report::GraphModel& model);
/// One page that opens from disk without a network: search, folders, a function's callers and callees, a drawing of
/// what is around it. `title` names the repository.
std::string render_graph_html(const report::GraphModel& model, std::string_view title);

}  // namespace lockstep::render
