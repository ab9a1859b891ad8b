// The layout in which dependency-graph tools print a code base for a language model: interpretation key, directory
// tree, clusters with functions and their calls, edge patterns. docs/graph.md explains it and where its edges differ
// from theirs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/paths.h"
#include "render/graph.h"
#include "render/graph_text.h"
#include "report/graph/graph_facts.h"

namespace lockstep::render {

namespace {

using report::GraphEdge;
using report::GraphFile;
using report::GraphModel;
using report::GraphNode;

constexpr std::string_view kKey = R"(# EMBARGO: LLM-Optimized Codebase Dependency Graph

**SYSTEM PROMPT FOR LLM INTERPRETATION:**
You are reading the dependency graph of a code base, from static analysis of its source: which functions it has, and which of them call which.

## INTERPRETATION KEY

### STRUCTURE
- **NODES:X EDGES:Y** = files, classes and functions, and the relations between them
- **DIRECTORY_TREE** = folders with the number of files in each, by purpose
- **ARCHITECTURAL_CLUSTERS** = functions by purpose: tests, services (what every training step runs), utilities
- **DEPENDENCY_PATTERNS** = relations by kind, and calls from one cluster to another

### BEHAVIORAL NOTATION
- **filename.py→[...]** = a file with its functions; a method is `Class.method`, a function in a function `outer.inner`
- **function((parameters))** = parameters as written; `(void)` for none
- **function()[ENTRY]** = a run starts here
- **function()[HOT]** = runs in every training step, or in loops and called from several places
- **[TEST]**, **[CTOR]**, **[DUNDER]** = a test, a constructor, a name with double underscores
- **function()→{calls}** = its calls in the order of the source, one for each call site
- **module::function** = a function of another file
- **callee?** = one of several that this call may reach

### ANALYSIS GUIDANCE
1. **Entry Points**: start with [ENTRY]
2. **Execution Flow**: follow →{calls}
3. **Hot Paths**: [HOT] functions decide the speed of training
4. **Architecture**: clusters tell what serves the step, what tests it, and what is beside it
5. **Dependencies**: cross-cluster flows show coupling

### SEMANTIC PREFIXES
- **S[N]** = N files of services, **U[N]** = N other files

---

)";

enum class Cluster : std::uint8_t { kTest, kService, kUtility };
constexpr std::array<std::string_view, 3> kClusterNames = {"TESTS", "SERVICE_LAYER", "UTILITY_LAYER"};

Cluster cluster_of(const GraphNode& node) {
  if (node.is_test) return Cluster::kTest;
  return node.step_distance >= 0 ? Cluster::kService : Cluster::kUtility;
}

bool is_drawn(const GraphModel& model, const GraphEdge& edge) {
  return edge.is_internal() && model.is_shown(model.nodes[edge.to]);
}

/// Module code and lambdas are no entities of this layout unless they call something or start a run.
bool is_listed(const GraphModel& model, const GraphNode& node) {
  if (!model.is_shown(node)) return false;
  if ((!node.is_module_body && !node.is_lambda) || node.is_entry) return true;
  return std::any_of(node.calls.begin(), node.calls.end(),
                     [&](const GraphEdge& edge) { return is_drawn(model, edge); });
}

std::string callee_name(const GraphModel& model, const GraphNode& from, const GraphEdge& edge) {
  const GraphNode& to = model.nodes[edge.to];
  std::string name = safe_line(to.local_name);
  if (to.file != from.file) {
    std::string_view module = module_of(model, to);
    module = module.substr(module.rfind('.') + 1);
    name = fmt::format("{}::{}", safe_line(module), name);
  }
  return edge.certainty == program::Certainty::kExact ? name : name + "?";
}

std::string flags_of(const GraphNode& node) {
  std::vector<std::string_view> flags;
  if (node.is_entry) flags.emplace_back("ENTRY");
  if (node.is_hot) flags.emplace_back("HOT");
  if (node.is_test) flags.emplace_back("TEST");
  if (node.is_constructor) flags.emplace_back("CTOR");
  if (node.is_dunder) flags.emplace_back("DUNDER");
  return flags.empty() ? std::string() : fmt::format("[{}]", fmt::join(flags, ","));
}

std::string node_text(const GraphModel& model, const GraphNode& node) {
  std::string text = safe_line(node.local_name);
  const std::string parameters =
      safe_line(report::parameters_of(*model.program, model.program->functions()[node.function], true), 4000);
  text += parameters.empty() ? std::string("(void)") : fmt::format("(({}))", parameters);
  text += flags_of(node);
  std::vector<std::pair<std::uint32_t, const GraphEdge*>> sites;
  for (const GraphEdge& edge : node.calls) {
    if (!is_drawn(model, edge)) continue;
    for (const std::uint32_t line : edge.lines) sites.emplace_back(line, &edge);
  }
  std::stable_sort(sites.begin(), sites.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string calls;
  for (const auto& [line, edge] : sites) calls += (calls.empty() ? "" : ",") + callee_name(model, node, *edge);
  return calls.empty() ? text : text + "→{" + calls + "}";
}

std::string common_root(const GraphModel& model) {
  std::string root;
  bool first = true;
  for (const GraphFile& file : model.files) {
    if (!file.is_shown) continue;
    const std::string folder(folder_of(model.program->modules()[file.module].path));
    if (first) root = folder;
    first = false;
    while (!root.empty() && folder != root && !folder.starts_with(root + "/")) root = std::string(folder_of(root));
  }
  return root;
}

std::string tree_text(const GraphModel& model) {
  const std::string root = common_root(model);
  std::map<std::string, std::array<std::size_t, 2>> folders;  // services, others
  for (const GraphFile& file : model.files) {
    if (!file.is_shown) continue;
    const std::string_view folder = folder_of(model.program->modules()[file.module].path);
    const std::string below(folder.size() > root.size() ? folder.substr(root.empty() ? 0 : root.size() + 1)
                                                        : std::string_view{});
    const auto nodes = model.nodes_of(file);
    const bool is_service = std::any_of(nodes.begin(), nodes.end(),
                                        [](const GraphNode& node) { return cluster_of(node) == Cluster::kService; });
    ++folders[below][is_service ? 0 : 1];
  }
  std::string text = fmt::format("## DIRECTORY_TREE\nROOT: {}\n", root.empty() ? "." : safe_line(root) + "/");
  for (const auto& [folder, counts] : folders) {
    std::string parts;
    if (counts[0] > 0) parts += fmt::format(" S[{}]", counts[0]);
    if (counts[1] > 0) parts += fmt::format(" U[{}]", counts[1]);
    text += fmt::format("└─ {} →{}\n", folder.empty() ? "./" : safe_line(folder) + "/", parts);
  }
  return text + "\n";
}

// Longest chain of calls that stays inside the cluster, counted in functions; cycles are cut where they close.
class ChainLength {
 public:
  ChainLength(const GraphModel& model, Cluster cluster)
      : model_(model), cluster_(cluster), depth_(model.nodes.size(), 0), state_(model.nodes.size(), 0) {}

  std::size_t longest() {
    std::size_t deepest = 0;
    for (std::uint32_t start = 0; start < model_.nodes.size(); ++start) {
      if (!is_inside(start) || state_[start] != 0) continue;
      walk(start);
      deepest = std::max(deepest, depth_[start]);
    }
    return deepest;
  }

 private:
  [[nodiscard]] bool is_inside(std::uint32_t node) const {
    return model_.is_shown(model_.nodes[node]) && cluster_of(model_.nodes[node]) == cluster_;
  }

  void walk(std::uint32_t start) {
    std::vector<std::pair<std::uint32_t, std::size_t>> stack = {{start, 0}};
    state_[start] = 1;
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      const auto calls = model_.nodes[node].calls;
      if (next < calls.size()) {
        const std::uint32_t to = calls[next++].to;
        if (to == GraphEdge::kExternal || !is_inside(to) || state_[to] != 0) continue;
        state_[to] = 1;
        stack.emplace_back(to, 0);
        continue;
      }
      finish(node);
      stack.pop_back();
    }
  }

  void finish(std::uint32_t node) {
    std::size_t below = 0;
    for (const GraphEdge& edge : model_.nodes[node].calls) {
      if (edge.is_internal() && state_[edge.to] == 2 && is_inside(edge.to)) below = std::max(below, depth_[edge.to]);
    }
    depth_[node] = below + 1;
    state_[node] = 2;
  }

  const GraphModel& model_;
  Cluster cluster_;
  std::vector<std::size_t> depth_;
  std::vector<char> state_;  // 0 not met, 1 open, 2 done
};

std::string cluster_text(const GraphModel& model, Cluster cluster, std::size_t count) {
  std::string text =
      fmt::format("\n### {}\nNODES:{} CALL_DEPTH:{}\n\n", kClusterNames[static_cast<std::size_t>(cluster)], count,
                  ChainLength(model, cluster).longest());
  for (const GraphFile& file : model.files) {
    if (!file.is_shown) continue;
    std::string entries;
    bool has_any = false;
    for (const GraphNode& node : model.nodes_of(file)) {
      if (!is_listed(model, node)) continue;
      has_any = true;
      if (cluster_of(node) == cluster) entries += (entries.empty() ? "" : ",") + node_text(model, node);
    }
    const bool is_empty_file = !has_any && cluster == Cluster::kUtility;
    if (entries.empty() && !is_empty_file) continue;
    text += fmt::format("{}→[{}]\n", safe_line(name_of(model.program->modules()[file.module].path)), entries);
  }
  return text;
}

struct Counts {
  std::array<std::size_t, 3> nodes = {};
  std::size_t listed = 0;
  std::size_t calls = 0;
  std::size_t contains = 0;
  std::array<std::array<std::size_t, 3>, 3> flows = {};
};

Counts count(const GraphModel& model) {
  Counts counts;
  for (const GraphFile& file : model.files) {
    if (!file.is_shown) continue;
    const std::size_t classes = model.program->modules()[file.module].classes.size();
    counts.listed += 1 + classes;  // the file itself
    counts.contains += classes;
    for (const GraphNode& node : model.nodes_of(file)) {
      if (!is_listed(model, node)) continue;
      const auto from = static_cast<std::size_t>(cluster_of(node));
      ++counts.nodes[from];
      ++counts.listed;
      ++counts.contains;
      for (const GraphEdge& edge : node.calls) {
        if (!is_drawn(model, edge)) continue;
        counts.calls += edge.lines.size();
        const auto to = static_cast<std::size_t>(cluster_of(model.nodes[edge.to]));
        if (to != from) counts.flows[from][to] += edge.lines.size();
      }
    }
  }
  return counts;
}

}  // namespace

std::string render_graph_embargo(const GraphModel& model) {
  const Counts counts = count(model);
  std::string text(kKey);
  text += fmt::format("# CODE_GRAPH\nNODES:{} EDGES:{}\n\n", counts.listed, counts.calls + counts.contains);
  text += tree_text(model);
  text += "## ARCHITECTURAL_CLUSTERS\n";
  for (const Cluster cluster : {Cluster::kTest, Cluster::kService, Cluster::kUtility}) {
    const std::size_t nodes = counts.nodes[static_cast<std::size_t>(cluster)];
    if (nodes > 0 || cluster == Cluster::kUtility) text += cluster_text(model, cluster, nodes);
  }
  text += fmt::format(
      "\n## DEPENDENCY_PATTERNS\n\n### EDGE_PATTERNS\nCall: {} edges\nContains: {} edges\n\n### CROSS_CLUSTER_FLOW\n",
      counts.calls, counts.contains);
  for (std::size_t from = 0; from < 3; ++from) {
    for (std::size_t to = 0; to < 3; ++to) {
      if (counts.flows[from][to] > 0)
        text += fmt::format("{}→{}: {}\n", kClusterNames[from], kClusterNames[to], counts.flows[from][to]);
    }
  }
  return text;
}

}  // namespace lockstep::render
