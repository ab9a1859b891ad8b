#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/strings.h"
#include "render/graph.h"

namespace lockstep::render {

namespace {

using program::Certainty;
using report::GraphEdge;
using report::GraphFile;
using report::GraphModel;
using report::GraphNode;

constexpr std::size_t kCharactersPerToken = 4;  // the usual estimate for code and English

constexpr std::string_view kKey =
    "# Code graph\n"
    "Key: `name(parameters) lines` then marks; `→` calls, with the line of the first call site; `?` one of several possible callees.\n"
    "Marks: ENTRY a run starts here · STEP n reached from the training step in n calls · ×n called from n functions · LOOP called inside a loop ·\n"
    "TEST · COLL operation(group)@line · SYNC the host waits for the device@line · CFG config fields it reads.\n"
    "Names without a dot are in the same file; every other name is qualified. Calls into Python's and torch's own code are left out\n"
    "except collectives and host syncs.\n";

// A callee's name as short as the reader can resolve: relative inside the same module.
std::string_view short_name(const GraphModel& model, const GraphNode& from, const GraphEdge& edge) {
  const program::Program& program = *model.program;
  const std::string& module = program.module_of(from.function).name;
  if (edge.name.size() > module.size() && edge.name.starts_with(module) && edge.name[module.size()] == '.') {
    return edge.name.substr(module.size() + 1);
  }
  return edge.name;
}

std::string local_name(const GraphModel& model, const GraphNode& node) {
  const std::string& module = model.program->module_of(node.function).name;
  return std::string(node.qualified_name.substr(std::min(module.size() + 1, node.qualified_name.size())));
}

std::string marks_of(const GraphNode& node) {
  std::string marks;
  if (node.is_entry) marks += " ENTRY";
  if (node.is_test) marks += " TEST";
  if (node.step_distance >= 0) marks += fmt::format(" STEP {}", node.step_distance);
  if (node.fan_in > 1) marks += fmt::format(" ×{}", node.fan_in);
  if (node.calls_in_loops > 0) marks += " LOOP";
  for (const auto& collective : node.collectives) marks += fmt::format(" COLL {}({})@{}", collective.operation, collective.group, collective.line + 1);
  for (const auto& sync : node.host_syncs) marks += fmt::format(" SYNC {}@{}", sync.name, sync.line + 1);
  if (!node.config_reads.empty()) marks += fmt::format(" CFG {}", fmt::join(node.config_reads, ","));
  return marks;
}

std::string node_text(const GraphModel& model, const GraphNode& node) {
  std::string text = fmt::format("- {}({}) {}-{}{}\n", local_name(model, node), node.parameters, node.first_line + 1, node.last_line + 1, marks_of(node));
  std::string calls;
  for (const GraphEdge& edge : node.calls) {
    if (edge.to == GraphEdge::kExternal && !model.program->find_function(edge.name).valid()) continue;
    calls += fmt::format("{}{}{}@{}", calls.empty() ? "" : ", ", short_name(model, node, edge), edge.certainty == Certainty::kExact ? "" : "?",
                         edge.lines.front() + 1);
  }
  if (!calls.empty()) text += "  → " + calls + "\n";
  return text;
}

std::string file_header(const GraphModel& model, const GraphFile& file) {
  const program::Module& module = model.program->modules()[file.module];
  return fmt::format("\n## {} (`{}`, {} lines)\n", module.path, module.name, module.facts->source().line_count());
}

std::string class_text(const program::Program& program, program::ClassId id) {
  const program::Class& cls = program.classes()[id];
  std::vector<std::string> bases;
  for (const program::ClassId base : cls.bases) bases.push_back(program.classes()[base].qualified_name);
  for (const std::string& base : cls.external_bases) bases.push_back(base);
  if (bases.empty()) return {};
  return fmt::format("class {}: {}\n", cls.name, fmt::join(bases, ", "));
}

}  // namespace

std::string render_graph_llm(const GraphModel& model, std::size_t tokens) {
  std::vector<std::string> texts(model.nodes.size());
  for (std::size_t i = 0; i < model.nodes.size(); ++i) texts[i] = node_text(model, model.nodes[i]);
  // Take whole functions, the most important first, until the budget is spent; a file's header is paid with its first.
  std::vector<std::size_t> order(model.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return model.nodes[a].importance > model.nodes[b].importance; });
  std::vector<std::size_t> file_of(model.nodes.size());
  std::vector<std::string> headers(model.files.size());
  for (std::size_t f = 0; f < model.files.size(); ++f) {
    headers[f] = file_header(model, model.files[f]);
    for (const program::ClassId cls : model.program->modules()[model.files[f].module].classes) headers[f] += class_text(*model.program, cls);
    for (const std::size_t node : model.files[f].nodes) file_of[node] = f;
  }
  const std::size_t budget = tokens == 0 ? SIZE_MAX : tokens * kCharactersPerToken;
  std::size_t spent = kKey.size() + 200;
  std::vector<bool> taken(model.nodes.size(), false);
  std::vector<bool> opened(model.files.size(), false);
  std::vector<std::size_t> file_order;
  std::size_t left_out = 0;
  for (const std::size_t node : order) {
    const GraphNode& n = model.nodes[node];
    // Module code and lambdas that call nothing in the repository say nothing.
    if ((n.is_module_body || n.is_lambda) && texts[node].find('\n') + 1 == texts[node].size() && !n.is_entry) continue;
    const std::size_t f = file_of[node];
    const std::size_t cost = texts[node].size() + (opened[f] ? 0 : headers[f].size());
    if (spent + cost > budget) {
      ++left_out;
      continue;
    }
    spent += cost;
    taken[node] = true;
    if (!opened[f]) file_order.push_back(f);
    opened[f] = true;
  }
  std::string text(kKey);
  text += fmt::format("\n{} files, {} functions, {} call edges between them.\n", model.files.size(), model.nodes.size(), model.call_edges);
  for (const std::size_t f : file_order) {
    text += headers[f];
    for (const std::size_t node : model.files[f].nodes) {
      if (taken[node]) text += texts[node];
    }
  }
  if (left_out > 0) text += fmt::format("\n{} of lower rank left out to stay within {} tokens.\n", count_of(left_out, "function"), tokens);
  return text;
}

}  // namespace lockstep::render
