#include "report/graph/graph_rank.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

#include "rules/training/step_reach.h"

namespace lockstep::report {

namespace {

constexpr int kWeightRounds = 40;  // longer chains than this add nothing that a reader could tell apart
constexpr std::uint32_t kHotCallers = 3;
constexpr double kWay = 14.0;      // as much as the heaviest function's weight
constexpr double kLightest = 1.3;  // in a run: what calls nearly nothing itself

bool counts(const GraphEdge& edge) { return edge.is_internal() && edge.certainty != program::Certainty::kByName; }

bool of_tests(const GraphModel& model, const GraphNode& node) { return model.files[node.file].is_test || node.is_test; }

// Not through what runs once (constructors, set-up, loading, saving), which would make everything part of the step.
void fill_step_distances(GraphModel& model, std::span<const program::Reached> step_path) {
  std::vector<std::uint32_t> order;
  const auto enter = [&](std::uint32_t at, int distance) {
    GraphNode& node = model.nodes[at];
    if (node.step_distance >= 0 || node.is_module_body ||
        rules::runs_rarely(node.local_name.substr(node.local_name.rfind('.') + 1)))
      return;
    node.step_distance = distance;
    order.push_back(at);
  };
  for (const program::Reached& reached : step_path) {
    if (reached.distance == 0) enter(model.node_of[reached.function.index()], 0);
  }
  for (std::size_t next = 0; next < order.size(); ++next) {
    const GraphNode& node = model.nodes[order[next]];
    for (const GraphEdge& edge : node.calls) {
      if (counts(edge)) enter(edge.to, node.step_distance + 1);
    }
  }
}

void fill_callers(GraphModel& model) {
  std::vector<std::uint32_t> step_callers(model.nodes.size(), 0);
  std::vector<std::uint32_t> step_loops(model.nodes.size(), 0);
  for (const GraphNode& node : model.nodes) {
    const bool is_test = of_tests(model, node);
    for (const GraphEdge& edge : node.calls) {
      if (!counts(edge)) continue;
      GraphNode& to = model.nodes[edge.to];
      if (is_test && !of_tests(model, to)) continue;
      ++to.fan_in;
      if (edge.in_loop) ++to.loop_callers;
      if (node.step_distance < 0) continue;
      ++step_callers[edge.to];
      if (edge.in_loop) ++step_loops[edge.to];
    }
  }
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    GraphNode& node = model.nodes[i];
    const bool in_step = node.step_distance >= 0;
    node.is_hot =
        !node.is_test && (in_step ? node.step_distance == 0 || step_loops[i] > 0 || step_callers[i] >= kHotCallers
                                  : node.loop_callers > 0 && node.fan_in >= kHotCallers);
  }
}

// Jacobi rounds over the graph without tests: deterministic, linear in edges, and no trouble with cycles (what goes
// round a cycle fades, since each round divides it among all callers and takes a tenth).
void fill_weights(GraphModel& model) {
  constexpr double kKept = 0.9;
  struct Edge {
    std::uint32_t from, to;
    double share;
  };
  std::vector<Edge> edges;
  std::vector<double> certain(model.nodes.size(), 0);
  for (const GraphNode& node : model.nodes) {
    if (of_tests(model, node)) continue;
    for (const GraphEdge& edge : node.calls) {
      if (counts(edge) && model.nodes[edge.to].fan_in > 0) certain[edge.to] += 1;
    }
  }
  for (std::uint32_t i = 0; i < model.nodes.size(); ++i) {
    if (of_tests(model, model.nodes[i])) continue;
    const auto calls = model.nodes[i].calls;
    for (std::size_t at = 0; at < calls.size();) {
      std::size_t end = at;
      double alternatives = 0;  // a call that may reach ten functions reaches one of them
      for (; end < calls.size() && calls[end].lines.front() == calls[at].lines.front(); ++end) {
        if (counts(calls[end]) && calls[end].certainty != program::Certainty::kExact) alternatives += 1;
      }
      for (; at < end; ++at) {
        if (!counts(calls[at]) || calls[at].to == i) continue;
        const double ways = calls[at].certainty == program::Certainty::kExact ? 1 : alternatives;
        edges.push_back({i, calls[at].to, kKept / (ways * std::max(1.0, certain[calls[at].to]))});
      }
    }
  }
  std::vector<double> weight(model.nodes.size(), 1);
  std::vector<double> next(model.nodes.size());
  for (int round = 0; round < kWeightRounds; ++round) {
    std::fill(next.begin(), next.end(), 1.0);
    for (const Edge& edge : edges) next[edge.from] += weight[edge.to] * edge.share;
    std::swap(weight, next);
  }
  for (std::size_t i = 0; i < model.nodes.size(); ++i) model.nodes[i].weight = weight[i];
}

// Calls in either direction, breadth first.
void fill_focus(GraphModel& model) {
  if (model.focus.empty()) return;
  std::vector<std::uint32_t> starts(model.nodes.size() + 1, 0);
  for (const GraphNode& node : model.nodes) {
    for (const GraphEdge& edge : node.calls) starts[counts(edge) ? edge.to + 1 : 0] += counts(edge) ? 1 : 0;
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::uint32_t> callers(starts.back());
  std::vector<std::uint32_t> next_slot(starts.begin(), starts.end() - 1);
  for (std::uint32_t i = 0; i < model.nodes.size(); ++i) {
    for (const GraphEdge& edge : model.nodes[i].calls) {
      if (counts(edge)) callers[next_slot[edge.to]++] = i;
    }
  }
  model.focus_distance.assign(model.nodes.size(), -1);
  std::vector<std::uint32_t> order = model.focus;
  for (const std::uint32_t node : order) model.focus_distance[node] = 0;
  for (std::size_t next = 0; next < order.size(); ++next) {
    const std::uint32_t at = order[next];
    const auto enter = [&](std::uint32_t neighbour) {
      if (model.focus_distance[neighbour] >= 0) return;
      model.focus_distance[neighbour] = model.focus_distance[at] + 1;
      order.push_back(neighbour);
    };
    for (const GraphEdge& edge : model.nodes[at].calls) {
      if (counts(edge)) enter(edge.to);
    }
    for (std::uint32_t slot = starts[at]; slot < starts[at + 1]; ++slot) enter(callers[slot]);
  }
}

// Who calls whom, outside tests, in one piece: it is walked once for each script.
struct Callees {
  std::vector<std::uint32_t> starts;  // by node, into `to`; one more at the end
  std::vector<std::uint32_t> to;

  explicit Callees(const GraphModel& model) {
    for (const GraphNode& node : model.nodes) {
      starts.push_back(static_cast<std::uint32_t>(to.size()));
      if (of_tests(model, node)) continue;
      for (const GraphEdge& edge : node.calls) {
        if (counts(edge) && !of_tests(model, model.nodes[edge.to])) to.push_back(edge.to);
      }
    }
    starts.push_back(static_cast<std::uint32_t>(to.size()));
  }
};

// The nodes that a run reaches, nearest first, and by node the one before it.
struct Run {
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> before;  // kNoNode where it is not reached
  static constexpr std::uint32_t kNoNode = 0xffffffffu;
};

// Runs from `start`, where `in_step` through the training step alone, and says how many of the step's functions are
// reached. `visits` bounds the calls looked at.
std::uint32_t follow(const GraphModel& model, const Callees& callees, std::uint32_t start, bool in_step,
                     std::size_t& visits, Run& run) {
  for (const std::uint32_t node : run.nodes) run.before[node] = Run::kNoNode;
  run.before.resize(model.nodes.size(), Run::kNoNode);
  run.nodes.assign(1, start);
  run.before[start] = start;
  std::uint32_t steps = 0;
  for (std::size_t next = 0; next < run.nodes.size() && visits > 0; ++next) {
    const std::uint32_t at = run.nodes[next];
    if (model.nodes[at].step_distance >= 0) ++steps;
    const std::uint32_t end = callees.starts[at + 1];
    visits -= std::min<std::size_t>(visits, end - callees.starts[at]);
    for (std::uint32_t i = callees.starts[at]; i < end; ++i) {
      const std::uint32_t to = callees.to[i];
      if (run.before[to] != Run::kNoNode || (in_step && model.nodes[to].step_distance < 0)) continue;
      run.before[to] = at;
      run.nodes.push_back(to);
    }
  }
  return steps;
}

constexpr std::size_t kMostVisits = 50'000'000;

void fill_steps_ahead(GraphModel& model, const Callees& callees) {
  Run run;
  std::size_t visits = kMostVisits;
  for (std::uint32_t i = 0; i < model.nodes.size(); ++i) {
    GraphNode& node = model.nodes[i];
    if (node.is_entry && !of_tests(model, node)) node.steps_ahead = follow(model, callees, i, false, visits, run);
  }
}

// From the main entry to each function with which its run enters the step: the shortest way, marked with how much of
// the step lies behind that function, by the most that lies behind any.
void fill_way(GraphModel& model, const Callees& callees) {
  const std::vector<std::uint32_t> entries = main_entries(model, 1);
  if (entries.empty() || model.nodes[entries.front()].steps_ahead == 0) return;
  Run run;
  Run below;
  std::size_t visits = kMostVisits;
  follow(model, callees, entries.front(), false, visits, run);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> roots;  // node, functions of the step behind it
  for (const std::uint32_t node : run.nodes) {
    const bool enters = model.nodes[node].step_distance == 0 && model.nodes[run.before[node]].step_distance < 0;
    if (enters) roots.emplace_back(node, follow(model, callees, node, true, visits, below));
  }
  std::uint32_t most = 1;
  for (const auto& [node, steps] : roots) most = std::max(most, steps);
  for (const auto& [node, steps] : roots) {
    const double part = static_cast<double>(steps) / most;
    for (std::uint32_t at = node;; at = run.before[at]) {
      if (model.nodes[at].way >= part) break;
      model.nodes[at].way = part;
      if (run.before[at] == at) break;
    }
  }
}

}  // namespace

void rank_graph(GraphModel& model, std::span<const program::Reached> step_path) {
  fill_step_distances(model, step_path);
  fill_callers(model);
  fill_weights(model);
  fill_focus(model);
  const Callees callees(model);
  fill_steps_ahead(model, callees);
  fill_way(model, callees);
}

// Weights by hand, tried on two training frameworks: what leads to the training step comes before all else; what
// carries most of the program and what every step runs come first; the tenth caller tells less than the second, so
// counts weigh by their logarithm and are capped; what is private, made up of one expression, or of a test comes last.
void set_importance(GraphModel& model) {
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    GraphNode& node = model.nodes[i];
    double importance = std::min(2.0 * std::log2(node.weight), 14.0);
    importance += std::min(0.5 * std::log2(1.0 + node.fan_in), 2.0);
    if (node.step_distance >= 0) importance += 3.0 / (1.0 + 0.5 * node.step_distance);
    if (node.is_hot) importance += 1.0;
    if (!node.collectives.empty()) importance += 2.0;
    if (!node.host_syncs.empty() && node.step_distance >= 0) importance += 0.5;
    importance += kWay * node.way;
    if (node.is_entry) importance += 2.0;
    if (node.is_module_body || node.is_lambda) importance -= 2.0;
    if (node.is_dunder && !node.is_constructor) importance -= 1.0;
    if (of_tests(model, node)) importance -= 20.0;
    if (!model.focus.empty()) {
      const int distance = model.focus_distance[i];
      importance += distance < 0 ? -40.0 : 60.0 - 20.0 * std::min(distance, 4);
    }
    node.importance = importance;
  }
}

std::vector<std::uint32_t> main_entries(const GraphModel& model, std::size_t count) {
  std::vector<std::uint32_t> entries;
  for (std::uint32_t i = 0; i < model.nodes.size(); ++i) {
    const GraphNode& node = model.nodes[i];
    if (node.is_entry && model.is_shown(node) && !of_tests(model, node)) entries.push_back(i);
  }
  // What a repository offers first lies at its root; each folder down halves a script's claim.
  const auto claim = [&](std::uint32_t at) {
    const GraphNode& node = model.nodes[at];
    const std::string& path = model.program->modules()[model.files[node.file].module].path;
    const int depth = static_cast<int>(std::count(path.begin(), path.end(), '/'));
    return std::pair(std::ldexp(node.steps_ahead, -depth), std::ldexp(node.weight, -depth));
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return claim(a) > claim(b); });
  if (entries.size() > count) entries.resize(count);
  return entries;
}

std::vector<RunLine> run_of(const GraphModel& model, std::uint32_t root, const RunOptions& options) {
  struct Item {
    RunLine line;
    std::size_t order;  // place among the parent's calls
    std::vector<std::size_t> children;
  };
  std::vector<Item> items;
  std::vector<bool> expanded(model.nodes.size(), false);
  // The way to the step first, then by weight.
  const auto rank = [&](std::uint32_t node) { return std::pair(model.nodes[node].way, model.nodes[node].weight); };
  const auto lighter = [&](std::size_t a, std::size_t b) {
    const auto ra = rank(items[a].line.node);
    const auto rb = rank(items[b].line.node);
    return ra != rb ? ra < rb : a > b;
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(lighter)> pending(lighter);
  items.push_back({{root, nullptr, 0, 0, false}, 0, {}});
  pending.push(0);
  while (!pending.empty()) {
    const std::size_t at = pending.top();
    pending.pop();
    const std::uint32_t node = items[at].line.node;
    if (expanded[node]) {
      items[at].line.shown_before = true;
      continue;
    }
    expanded[node] = true;
    std::vector<std::size_t> callees;  // indices into calls, heaviest first
    for (std::size_t i = 0; i < model.nodes[node].calls.size(); ++i) {
      const GraphEdge& edge = model.nodes[node].calls[i];
      const GraphNode& to = edge.is_internal() ? model.nodes[edge.to] : model.nodes[node];
      const bool says_little = to.weight < kLightest && to.collectives.empty();
      if (counts(edge) && edge.to != node && !says_little && !of_tests(model, to)) callees.push_back(i);
    }
    std::stable_sort(callees.begin(), callees.end(), [&](std::size_t a, std::size_t b) {
      return rank(model.nodes[node].calls[a].to) > rank(model.nodes[node].calls[b].to);
    });
    std::size_t kept = std::min(callees.size(), options.children);
    if (items[at].line.depth + 1 > options.depth) kept = 0;
    kept = std::min(kept, options.lines > items.size() ? options.lines - items.size() : 0);
    items[at].line.left_out = static_cast<std::uint32_t>(callees.size() - kept);
    callees.resize(kept);
    std::sort(callees.begin(), callees.end());
    for (const std::size_t callee : callees) {
      const GraphEdge& edge = model.nodes[node].calls[callee];
      const std::size_t child = items.size();
      items.push_back({{edge.to, &edge, items[at].line.depth + 1, 0, false}, callee, {}});
      items[at].children.push_back(child);
      pending.push(child);
    }
  }
  std::vector<RunLine> lines;
  std::vector<std::size_t> stack = {0};
  while (!stack.empty()) {
    const Item& item = items[stack.back()];
    stack.pop_back();
    lines.push_back(item.line);
    stack.insert(stack.end(), item.children.rbegin(), item.children.rend());
  }
  return lines;
}

}  // namespace lockstep::report
