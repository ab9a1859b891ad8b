#include "report/documents/drawings/alike_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace lockstep::report {

namespace {

/// Where an arrow comes from or leads to, and its label.
using Ends = std::set<std::tuple<bool, std::size_t, std::string>>;

Ends ends_of(const Flowchart& chart, std::size_t node) {
  Ends out;
  for (const FlowEdge& edge : chart.edges) {
    if (edge.from == node) out.insert({true, edge.to, edge.label});
    if (edge.to == node) out.insert({false, edge.from, edge.label});
  }
  return out;
}

}  // namespace

void merge_alike(Flowchart& chart) {
  std::vector<std::size_t> kept_as(chart.nodes.size());
  std::vector<std::size_t> count(chart.nodes.size(), 1);
  for (std::size_t i = 0; i < kept_as.size(); ++i) kept_as[i] = i;
  for (std::size_t i = 0; i < chart.nodes.size(); ++i) {
    const Ends ends = ends_of(chart, i);
    if (kept_as[i] != i || ends.empty()) continue;
    for (std::size_t other = i + 1; other < chart.nodes.size(); ++other) {
      const FlowNode& a = chart.nodes[i];
      const FlowNode& b = chart.nodes[other];
      const bool is_alike = a.label == b.label && a.shape == b.shape && a.mark == b.mark && a.group == b.group;
      if (!is_alike || kept_as[other] != other || ends_of(chart, other) != ends) continue;
      kept_as[other] = i;
      ++count[i];
    }
  }
  std::vector<std::size_t> place(chart.nodes.size());
  std::vector<FlowNode> nodes;
  for (std::size_t i = 0; i < chart.nodes.size(); ++i) {
    if (kept_as[i] != i) continue;
    place[i] = nodes.size();
    nodes.push_back(std::move(chart.nodes[i]));
    if (count[i] > 1) nodes.back().label += fmt::format("\nin {} places", count[i]);
  }
  std::vector<FlowEdge> edges;
  for (FlowEdge& edge : chart.edges) {
    edge.from = place[kept_as[edge.from]];
    edge.to = place[kept_as[edge.to]];
    const bool is_known = std::any_of(edges.begin(), edges.end(), [&](const FlowEdge& one) {
      return one.from == edge.from && one.to == edge.to && one.label == edge.label;
    });
    if (!is_known) edges.push_back(std::move(edge));
  }
  chart.nodes = std::move(nodes);
  chart.edges = std::move(edges);
}

}  // namespace lockstep::report
