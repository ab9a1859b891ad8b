// The graph as drawings: Graphviz and Mermaid.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "render/graph.h"
#include "render/graph_text.h"
#include "render/mermaid.h"

namespace lockstep::render {

namespace {

using report::GraphEdge;
using report::GraphFile;
using report::GraphModel;
using report::GraphNode;

bool is_drawn(const GraphModel& model, const GraphEdge& edge) {
  return edge.is_internal() && model.is_shown(model.nodes[edge.to]);
}

// In a quoted string of the DOT language a backslash starts an escape and a quote ends it; all else stands for itself.
std::string dot_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : safe_line(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string dot_node(const GraphNode& node, std::uint32_t at) {
  std::string style;
  if (!node.collectives.empty()) style += ", color=\"#b3261e\", penwidth=2";
  if (node.is_entry) style += ", shape=ellipse";
  if (node.is_hot) style += ", style=bold";
  return fmt::format("    n{} [label={}{}];\n", at, dot_quoted(node.local_name), style);
}

}  // namespace

std::string render_graph_dot(const GraphModel& model) {
  std::string text = "digraph code {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n";
  for (std::size_t f = 0; f < model.files.size(); ++f) {
    const GraphFile& file = model.files[f];
    if (!file.is_shown) continue;
    text += fmt::format("  subgraph cluster_{} {{\n    label={};\n", f,
                        dot_quoted(model.program->modules()[file.module].path));
    for (std::uint32_t i = 0; i < file.node_count; ++i)
      text += dot_node(model.nodes[file.first_node + i], file.first_node + i);
    text += "  }\n";
  }
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    if (!model.is_shown(model.nodes[i])) continue;
    for (const GraphEdge& edge : model.nodes[i].calls) {
      if (!is_drawn(model, edge)) continue;
      text += fmt::format("  n{} -> n{}{};\n", i, edge.to,
                          edge.certainty == program::Certainty::kExact ? "" : " [style=dashed]");
    }
  }
  return text + "}\n";
}

std::string render_graph_mermaid(const GraphModel& model) {
  // Functions would be too many to draw: modules, with the number of calls between them, the most connected first.
  constexpr std::size_t kMostModules = 40;
  constexpr std::size_t kMostEdges = 200;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> counts;
  std::vector<std::size_t> weight(model.files.size(), 0);
  for (const GraphNode& node : model.nodes) {
    if (!model.is_shown(node)) continue;
    for (const GraphEdge& edge : node.calls) {
      if (!is_drawn(model, edge) || node.file == model.nodes[edge.to].file) continue;
      const std::uint32_t to = model.nodes[edge.to].file;
      ++counts[{node.file, to}];
      ++weight[node.file];
      ++weight[to];
    }
  }
  std::vector<std::size_t> order;
  for (std::size_t f = 0; f < model.files.size(); ++f) {
    if (model.files[f].is_shown && (weight[f] > 0 || model.shown_files <= kMostModules)) order.push_back(f);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weight[a] > weight[b]; });
  if (order.size() > kMostModules) order.resize(kMostModules);
  std::sort(order.begin(), order.end());
  report::Flowchart chart;
  chart.left_to_right = true;
  std::map<std::size_t, std::size_t> place;
  for (const std::size_t f : order) {
    place.emplace(f, chart.nodes.size());
    report::FlowNode node;
    node.label = model.program->modules()[model.files[f].module].name;
    chart.nodes.push_back(std::move(node));
  }
  std::vector<std::pair<std::size_t, std::pair<std::size_t, std::size_t>>> ranked;
  for (const auto& [edge, count] : counts) {
    if (place.contains(edge.first) && place.contains(edge.second)) ranked.emplace_back(count, edge);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (ranked.size() > kMostEdges) ranked.resize(kMostEdges);
  for (const auto& [count, edge] : ranked) {
    report::FlowEdge flow;
    flow.from = place.at(edge.first);
    flow.to = place.at(edge.second);
    flow.label = fmt::format("{}", count);
    chart.edges.push_back(std::move(flow));
  }
  return render_mermaid(chart);
}

}  // namespace lockstep::render
