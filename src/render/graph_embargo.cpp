// The layout in which dependency-graph tools print a code base for a language model: interpretation key, directory tree,
// clusters with functions and their calls, edge patterns.
#include <fmt/format.h>

#include <map>
#include <set>

#include "base/strings.h"
#include "render/graph.h"

namespace lockstep::render {

namespace {

using report::GraphEdge;
using report::GraphFile;
using report::GraphModel;
using report::GraphNode;

constexpr std::string_view kKey = R"(# EMBARGO: LLM-Optimized Codebase Dependency Graph

**How to read this.** It lists the functions of a code base and which of them call which, from static analysis of the source.

## INTERPRETATION KEY

### STRUCTURE
- **NODES:X EDGES:Y** = functions and methods, and the relations between them
- **DIRECTORY_TREE** = folders with the number of functions in each
- **ARCHITECTURAL_CLUSTERS** = functions by purpose: tests, entry points, services (reached by the training step), utilities
- **DEPENDENCY_PATTERNS** = relations by kind, and calls between clusters

### BEHAVIORAL NOTATION
- **file.py→[...]** = the functions of a file, methods as Class.method
- **function((parameters))** = parameters as written; `void` for none
- **[ENTRY]** = a run starts here; **[HOT]** = runs every training step; **[TEST]**, **[CTOR]**, **[DUNDER]** = what the names say
- **→{calls}** = callees in the order of the calls, each with the line of the call; `module::function` in another file;
  a trailing `?` marks one of several possible callees

### SEMANTIC PREFIXES
- **S[N]** = services, **E[N]** = entry points, **T[N]** = tests, **U[N]** = utilities; N functions

---

)";

enum class Cluster { kEntry, kService, kTest, kUtility };
constexpr std::string_view kClusterNames[] = {"ENTRY_POINTS", "SERVICE_LAYER", "TESTS", "UTILITY_LAYER"};
constexpr char kClusterPrefixes[] = {'E', 'S', 'T', 'U'};

Cluster cluster_of(const GraphNode& node) {
  if (node.is_test) return Cluster::kTest;
  if (node.is_entry) return Cluster::kEntry;
  if (node.step_distance >= 0) return Cluster::kService;
  return Cluster::kUtility;
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

/// Module code is not an entity of its own in this layout unless it calls something.
bool is_listed(const GraphNode& node) {
  if (!node.is_module_body && !node.is_lambda) return true;
  for (const GraphEdge& edge : node.calls) {
    if (edge.to != GraphEdge::kExternal) return true;
  }
  return false;
}

std::string_view module_of(const GraphModel& model, const GraphNode& node) { return model.program->module_of(node.function).name; }

std::string inner_name(const GraphModel& model, const GraphNode& node) {
  const std::string_view module = module_of(model, node);
  return std::string(node.qualified_name.size() > module.size() ? node.qualified_name.substr(module.size() + 1) : node.qualified_name);
}

std::string callee_name(const GraphModel& model, const GraphNode& from, const GraphEdge& edge) {
  const GraphNode& to = model.nodes[edge.to];
  if (module_of(model, to) == module_of(model, from)) return inner_name(model, to);
  const std::string_view module = module_of(model, to);
  const std::size_t dot = module.rfind('.');
  return fmt::format("{}::{}", dot == std::string_view::npos ? module : module.substr(dot + 1), inner_name(model, to));
}

std::string flags_of(const GraphNode& node) {
  std::vector<std::string> flags;
  if (node.is_entry) flags.emplace_back("ENTRY");
  if (node.is_hot()) flags.emplace_back("HOT");
  if (node.is_test) flags.emplace_back("TEST");
  if (node.is_constructor) flags.emplace_back("CTOR");
  if (node.is_dunder) flags.emplace_back("DUNDER");
  return flags.empty() ? std::string() : fmt::format("[{}]", fmt::join(flags, ","));
}

std::string node_text(const GraphModel& model, const GraphNode& node) {
  std::string text = inner_name(model, node);
  text += node.parameters.empty() ? std::string("(void)") : fmt::format("(({}))", node.parameters);
  text += flags_of(node);
  std::vector<std::string> calls;
  for (const GraphEdge& edge : node.calls) {
    if (edge.to == GraphEdge::kExternal) continue;
    calls.push_back(fmt::format("{}{}:{}", callee_name(model, node, edge), edge.certainty == program::Certainty::kExact ? "" : "?", edge.lines.front() + 1));
  }
  if (!calls.empty()) text += fmt::format("→{{{}}}", fmt::join(calls, ","));
  return text;
}

std::string common_root(const GraphModel& model) {
  std::string root;
  bool first = true;
  for (const GraphFile& file : model.files) {
    const std::string folder(folder_of(model.program->modules()[file.module].path));
    if (first) {
      root = folder;
      first = false;
    }
    while (!root.empty() && folder != root && !folder.starts_with(root + "/")) root = std::string(folder_of(root));
  }
  return root;
}

std::string tree_text(const GraphModel& model) {
  const std::string root = common_root(model);
  std::map<std::string, std::map<Cluster, std::size_t>> folders;
  for (const GraphFile& file : model.files) {
    const std::string_view folder = folder_of(model.program->modules()[file.module].path);
    std::string below(folder.size() > root.size() ? folder.substr(root.empty() ? 0 : root.size() + 1) : std::string_view{});
    for (const std::size_t node : file.nodes) {
      if (is_listed(model.nodes[node])) ++folders[below][cluster_of(model.nodes[node])];
    }
  }
  std::string text = fmt::format("## DIRECTORY_TREE\nROOT: {}\n", root.empty() ? "." : root + "/");
  for (const auto& [folder, counts] : folders) {
    std::vector<std::string> parts;
    for (const auto& [cluster, count] : counts) parts.push_back(fmt::format("{}[{}]", kClusterPrefixes[static_cast<std::size_t>(cluster)], count));
    text += fmt::format("└─ {} → {}\n", folder.empty() ? "." : folder + "/", fmt::join(parts, " "));
  }
  return text + "\n";
}

// Longest chain of calls that stays inside the cluster, counted in functions; cycles are cut where they close.
std::size_t call_depth(const GraphModel& model, const std::vector<Cluster>& clusters, Cluster cluster) {
  std::vector<std::size_t> depth(model.nodes.size(), 0);
  std::vector<char> state(model.nodes.size(), 0);
  std::size_t deepest = 0;
  for (std::size_t start = 0; start < model.nodes.size(); ++start) {
    if (clusters[start] != cluster || state[start] != 0) continue;
    std::vector<std::pair<std::size_t, std::size_t>> stack = {{start, 0}};
    state[start] = 1;
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      const auto& calls = model.nodes[node].calls;
      if (next < calls.size()) {
        const std::size_t to = calls[next++].to;
        if (to != GraphEdge::kExternal && clusters[to] == cluster && state[to] == 0) {
          state[to] = 1;
          stack.emplace_back(to, 0);
        }
        continue;
      }
      std::size_t below = 0;
      for (const GraphEdge& edge : calls) {
        if (edge.to != GraphEdge::kExternal && state[edge.to] == 2 && clusters[edge.to] == cluster) below = std::max(below, depth[edge.to]);
      }
      depth[node] = below + 1;
      deepest = std::max(deepest, depth[node]);
      state[node] = 2;
      stack.pop_back();
    }
  }
  return deepest;
}

}  // namespace

std::string render_graph_embargo(const GraphModel& model) {
  std::vector<Cluster> clusters(model.nodes.size());
  std::map<Cluster, std::size_t> counts;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    clusters[i] = cluster_of(model.nodes[i]);
    if (is_listed(model.nodes[i])) ++counts[clusters[i]];
  }
  std::size_t listed = 0;
  for (const auto& [cluster, count] : counts) listed += count;
  std::string text(kKey);
  text += fmt::format("# CODE_GRAPH\nNODES:{} EDGES:{}\n\n", listed, model.call_edges + model.contains_edges);
  text += tree_text(model);
  text += "## ARCHITECTURAL_CLUSTERS\n";
  for (const auto& [cluster, count] : counts) {
    text += fmt::format("\n### {}\nNODES:{} CALL_DEPTH:{}\n\n", kClusterNames[static_cast<std::size_t>(cluster)], count, call_depth(model, clusters, cluster));
    for (const GraphFile& file : model.files) {
      std::vector<std::string> entries;
      for (const std::size_t node : file.nodes) {
        if (clusters[node] == cluster && is_listed(model.nodes[node])) entries.push_back(node_text(model, model.nodes[node]));
      }
      const bool is_empty_file = cluster == Cluster::kUtility && file.nodes.size() <= 1;
      if (entries.empty() && !is_empty_file) continue;
      text += fmt::format("{}→[{}]\n", base_name(model.program->modules()[file.module].path), fmt::join(entries, ","));
    }
  }
  std::map<std::pair<Cluster, Cluster>, std::size_t> flows;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    for (const GraphEdge& edge : model.nodes[i].calls) {
      if (edge.to != GraphEdge::kExternal && clusters[i] != clusters[edge.to]) ++flows[{clusters[i], clusters[edge.to]}];
    }
  }
  text += fmt::format("\n## DEPENDENCY_PATTERNS\n\n### EDGE_PATTERNS\nCall: {} edges\nContains: {} edges\n\n### CROSS_CLUSTER_FLOW\n", model.call_edges, model.contains_edges);
  for (const auto& [flow, count] : flows) {
    text += fmt::format("{}→{}: {}\n", kClusterNames[static_cast<std::size_t>(flow.first)], kClusterNames[static_cast<std::size_t>(flow.second)], count);
  }
  return text;
}

}  // namespace lockstep::render
