// The graph for other programs: JSON, the shared call-graph form, Graphviz and Mermaid.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "render/graph.h"
#include "render/mermaid.h"

namespace lockstep::render {

namespace {

using Json = nlohmann::ordered_json;
using report::GraphEdge;
using report::GraphFile;
using report::GraphModel;
using report::GraphNode;

std::string_view certainty_text(program::Certainty certainty) {
  constexpr std::string_view kNames[] = {"exact", "possible", "by-name"};
  return kNames[static_cast<std::size_t>(certainty)];
}

std::string_view kind_text(program::CallKind kind) {
  constexpr std::string_view kNames[] = {"direct", "constructor", "module-call", "autograd", "implicit", "callback"};
  return kNames[static_cast<std::size_t>(kind)];
}

Json one_based(const std::vector<std::uint32_t>& lines) {
  Json json = Json::array();
  for (const std::uint32_t line : lines) json.push_back(line + 1);
  return json;
}

Json node_json(const GraphModel& model, const GraphNode& node) {
  Json calls = Json::array();
  for (const GraphEdge& edge : node.calls) {
    calls.push_back({{"to", edge.name},
                     {"internal", model.program->find_function(edge.name).valid()},
                     {"certainty", certainty_text(edge.certainty)},
                     {"kind", kind_text(edge.kind)},
                     {"lines", one_based(edge.lines)}});
  }
  Json collectives = Json::array();
  for (const auto& collective : node.collectives) {
    collectives.push_back({{"operation", collective.operation}, {"group", collective.group}, {"line", collective.line + 1}});
  }
  Json syncs = Json::array();
  for (const auto& sync : node.host_syncs) syncs.push_back({{"call", sync.name}, {"line", sync.line + 1}});
  return {{"name", node.qualified_name},
          {"parameters", node.parameters},
          {"start_line", node.first_line + 1},
          {"end_line", node.last_line + 1},
          {"entry", node.is_entry},
          {"test", node.is_test},
          {"step_distance", node.step_distance < 0 ? Json(nullptr) : Json(node.step_distance)},
          {"callers", node.fan_in},
          {"collectives", std::move(collectives)},
          {"host_syncs", std::move(syncs)},
          {"config_reads", node.config_reads},
          {"calls", std::move(calls)}};
}

std::string dot_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "\"";
}

// Module code is called by the module's name in call graphs.
std::string callgraph_name(std::string_view name) {
  constexpr std::string_view kBody = ".<module>";
  if (name.ends_with(kBody)) name.remove_suffix(kBody.size());
  return std::string(name);
}

}  // namespace

std::string render_graph_json(const GraphModel& model) {
  Json files = Json::array();
  for (const GraphFile& file : model.files) {
    const program::Module& module = model.program->modules()[file.module];
    Json nodes = Json::array();
    for (const std::size_t node : file.nodes) nodes.push_back(node_json(model, model.nodes[node]));
    files.push_back({{"path", module.path}, {"module", module.name}, {"test", file.is_test}, {"functions", std::move(nodes)}});
  }
  const Json json = {{"nodes", model.nodes.size()}, {"call_edges", model.call_edges}, {"contains_edges", model.contains_edges}, {"files", std::move(files)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string render_graph_callgraph(const GraphModel& model) {
  std::map<std::string, std::set<std::string>> edges;
  for (const GraphNode& node : model.nodes) {
    auto& callees = edges[callgraph_name(node.qualified_name)];
    for (const GraphEdge& edge : node.calls) callees.insert(callgraph_name(edge.name));
  }
  Json json = Json::object();
  for (const auto& [caller, callees] : edges) json[caller] = callees;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string render_graph_dot(const GraphModel& model) {
  std::string text = "digraph code {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n";
  for (std::size_t f = 0; f < model.files.size(); ++f) {
    text += fmt::format("  subgraph cluster_{} {{\n    label={};\n", f, dot_quoted(model.program->modules()[model.files[f].module].path));
    for (const std::size_t node : model.files[f].nodes) {
      const GraphNode& n = model.nodes[node];
      text += fmt::format("    n{} [label={}{}];\n", node, dot_quoted(n.qualified_name), n.collectives.empty() ? "" : ", style=bold");
    }
    text += "  }\n";
  }
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    for (const GraphEdge& edge : model.nodes[i].calls) {
      if (edge.to == GraphEdge::kExternal) continue;
      text += fmt::format("  n{} -> n{}{};\n", i, edge.to, edge.certainty == program::Certainty::kExact ? "" : " [style=dashed]");
    }
  }
  return text + "}\n";
}

std::string render_graph_mermaid(const GraphModel& model) {
  // Functions would be too many to draw: modules, with the number of calls between them, the most connected first.
  constexpr std::size_t kMostModules = 40;
  constexpr std::size_t kMostEdges = 200;
  std::vector<std::size_t> file_of(model.nodes.size());
  for (std::size_t f = 0; f < model.files.size(); ++f) {
    for (const std::size_t node : model.files[f].nodes) file_of[node] = f;
  }
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> counts;
  std::vector<std::size_t> weight(model.files.size(), 0);
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    for (const GraphEdge& edge : model.nodes[i].calls) {
      if (edge.to == GraphEdge::kExternal || file_of[i] == file_of[edge.to]) continue;
      ++counts[{file_of[i], file_of[edge.to]}];
      ++weight[file_of[i]];
      ++weight[file_of[edge.to]];
    }
  }
  std::vector<std::size_t> order;
  for (std::size_t f = 0; f < model.files.size(); ++f) {
    if (weight[f] > 0 || model.files.size() <= kMostModules) order.push_back(f);
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
