// How data that the change brings passes from function to function, before and after (drawings.h).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/documents/drawings/drawings.h"
#include "report/documents/drawings/drawn_calls.h"
#include "report/documents/drawings/drawn_names.h"
#include "report/file_name.h"
#include "report/story/trails/trail.h"

namespace lockstep::report {

using program::FunctionId;

namespace {

constexpr std::size_t kMostBefore = 6;
constexpr std::size_t kMostNames = 2;  ///< Beside one arrow.

std::string arrow_label(const TrailEdge& edge) {
  const std::size_t count = std::min(edge.names.size(), kMostNames);
  std::vector<std::string> shown(edge.names.begin(), edge.names.begin() + static_cast<std::ptrdiff_t>(count));
  if (edge.names.size() > kMostNames) shown.push_back(fmt::format("{} more", edge.names.size() - kMostNames));
  return join(shown, ", ");
}

/// The node's name; of two functions of one name each with its file.
std::string node_label(const Trail& trail, const TrailNode& node, bool is_after) {
  if (node.is_field) return node.name;
  const bool is_shared = std::count_if(trail.nodes.begin(), trail.nodes.end(), [&](const TrailNode& one) {
                           return !one.is_field && one.name == node.name;
                         }) > 1;
  const auto& side = is_after ? node.actor->change->after : node.actor->change->before;
  const std::string name = drawn_name(node.name);
  return is_shared ? fmt::format("{} of {}", name, file_name(side->path)) : name;
}

void add_side(Flowchart& chart, const Trail& trail, std::size_t group, bool is_after) {
  const std::size_t first = chart.nodes.size();
  for (const TrailNode& node : trail.nodes) {
    FlowNode drawn;
    drawn.label = node_label(trail, node, is_after);
    if (!node.communicates.empty()) drawn.label += "\n" + node.communicates;
    drawn.shape = node.is_field ? NodeShape::kStore : NodeShape::kBox;
    // Before the change there is nothing new yet; what goes is marked there.
    const Mark of_field = node.is_old ? Mark::kNone : is_after ? Mark::kNew : Mark::kRemoved;
    const Mark mark = node.actor == nullptr ? of_field : mark_of(*node.actor->change);
    drawn.mark = is_after || mark == Mark::kRemoved ? mark : Mark::kNone;
    drawn.group = group;
    chart.nodes.push_back(std::move(drawn));
  }
  for (const TrailEdge& edge : trail.edges)
    chart.edges.push_back({first + edge.from, first + edge.to, arrow_label(edge),
                           edge.is_by_name ? EdgeStyle::kDotted : EdgeStyle::kSolid});
}

/// Those functions of the trail that stood there before, and which of them called another.
Trail calls_before(const DocumentInputs& inputs, const Trail& after) {
  std::vector<const Actor*> standing;
  for (const TrailNode& node : after.nodes) {
    if (!node.is_field && node.actor->change->before && node.actor->change->before->function.valid())
      standing.push_back(node.actor);
  }
  Trail out;
  const auto node_of = [&](const Actor& actor) {
    const auto found =
        std::find_if(out.nodes.begin(), out.nodes.end(), [&](const TrailNode& one) { return one.actor == &actor; });
    if (found != out.nodes.end()) return static_cast<std::size_t>(found - out.nodes.begin());
    TrailNode node;
    node.actor = &actor;
    node.name = short_name(*inputs.before, actor.change->before->function);
    out.nodes.push_back(std::move(node));
    return out.nodes.size() - 1;
  };
  for (const Actor* callee : standing) {
    const FunctionId function = callee->change->before->function;
    for (const program::CallId id : inputs.before->callers_of(function)) {
      const program::CallSite& site = inputs.before->calls()[id];
      const auto caller = std::find_if(standing.begin(), standing.end(), [&](const Actor* one) {
        return one != callee && one->change->before->function == site.caller;
      });
      if (caller == standing.end() || out.nodes.size() + 2 > kMostBefore || !program::surely_enters(site, function))
        continue;
      const std::size_t from = node_of(**caller);
      const std::size_t to = node_of(*callee);
      const bool is_known = std::any_of(out.edges.begin(), out.edges.end(),
                                        [&](const TrailEdge& one) { return one.from == from && one.to == to; });
      if (!is_known) out.edges.push_back({from, to, {"calls"}});
    }
  }
  return out;
}

/// Draws the call from one function of the trail to another, where it is still made and no arrow joins the two.
void add_standing_call(const DocumentInputs& inputs, const Trail& after, const Actor& caller, const Actor& callee,
                       std::size_t first, Flowchart& chart) {
  const auto node_of = [&](const Actor& actor) {
    const auto found = std::find_if(after.nodes.begin(), after.nodes.end(),
                                    [&](const TrailNode& one) { return !one.is_field && one.actor == &actor; });
    return static_cast<std::size_t>(found - after.nodes.begin());
  };
  const std::size_t from = node_of(caller);
  const std::size_t to = node_of(callee);
  if (from == after.nodes.size() || to == after.nodes.size()) return;
  const bool is_joined = std::any_of(after.edges.begin(), after.edges.end(), [&](const TrailEdge& one) {
    return (one.from == from && one.to == to) || (one.from == to && one.to == from);
  });
  const FunctionId function = callee.change->after->function;
  const auto& sites = inputs.after->callers_of(function);
  const bool is_made = std::any_of(sites.begin(), sites.end(), [&](program::CallId id) {
    return inputs.after->calls()[id].caller == caller.change->after->function &&
           program::surely_enters(inputs.after->calls()[id], function);
  });
  if (!is_joined && is_made) chart.edges.push_back({first + from, first + to, "calls", EdgeStyle::kSolid});
}

/// Draws what functions of the trail called before and do not call themselves any more: communication first, then
/// functions of the repository, as long as there is room. `before`: what is drawn of that side.
class GoneCallsOfTrail {
 public:
  GoneCallsOfTrail(const DocumentInputs& inputs, const Story& story, const Trail& before, std::size_t most,
                   Flowchart& chart)
      : calls_(inputs, story), inputs_(inputs), most_(most), chart_(chart) {
    for (std::size_t i = 0; i < before.nodes.size(); ++i) {
      const Actor* actor = before.nodes[i].actor;
      if (before.nodes[i].is_field || actor == nullptr || !actor->change->before) continue;
      if (actor->change->before->function.valid()) functions_.emplace(actor->change->before->function, i);
    }
  }

  void add(const Trail& after) {
    for (const bool communication : {true, false}) {
      for (const TrailNode& node : after.nodes) {
        if (node.is_field || node.actor == nullptr || !node.actor->change->before) continue;
        if (node.actor->change->before->function.valid()) add(*node.actor, communication);
      }
    }
  }

 private:
  void add(const Actor& actor, bool communication) {
    const FunctionId caller = actor.change->before->function;
    for (const GoneCall& gone : calls_.gone(*actor.change)) {
      if (gone.call.is_communication != communication || (!communication && !gone.call.function.valid())) continue;
      const bool is_drawn = gone.call.function.valid() ? functions_.contains(gone.call.function)
                                                       : communications_.contains(gone.call.label);
      const std::size_t fresh = (functions_.contains(caller) ? 0u : 1u) + (is_drawn ? 0u : 1u);
      if (chart_.nodes.size() + fresh > most_) continue;
      const std::size_t from = function_node(caller, drawn_name(short_name(*inputs_.before, caller)), Mark::kNone);
      const Mark mark = gone.is_removed ? Mark::kRemoved : Mark::kNone;
      const std::size_t to = gone.call.function.valid() ? function_node(gone.call.function, gone.call.label, mark)
                                                        : communication_node(gone.call.label);
      const bool is_joined = std::any_of(chart_.edges.begin(), chart_.edges.end(),
                                         [&](const FlowEdge& one) { return one.from == from && one.to == to; });
      if (from != to && !is_joined)
        chart_.edges.push_back({from, to, calls_.arrow_label(gone, *actor.change), EdgeStyle::kSolid});
    }
  }

  std::size_t function_node(FunctionId function, const std::string& label, Mark mark) {
    const auto [at, is_new] = functions_.emplace(function, chart_.nodes.size());
    if (is_new) chart_.nodes.push_back({label, NodeShape::kBox, mark, 0});
    return at->second;
  }

  std::size_t communication_node(const std::string& label) {
    const auto [at, is_new] = communications_.emplace(label, chart_.nodes.size());
    if (is_new) chart_.nodes.push_back({label, NodeShape::kCommunication, Mark::kNone, 0});
    return at->second;
  }

  CallChanges calls_;
  const DocumentInputs& inputs_;
  std::size_t most_;  ///< Nodes on that side.
  Flowchart& chart_;
  std::map<FunctionId, std::size_t> functions_;  ///< On the side before -> node.
  std::map<std::string, std::size_t> communications_;
};

/// How its signs are to be read; may be empty.
std::string legend_of(const Trail& before, const Trail& after) {
  std::vector<std::string> out;
  const auto has_field = [](const Trail& side) {
    return std::any_of(side.nodes.begin(), side.nodes.end(), [](const TrailNode& one) { return one.is_field; });
  };
  const auto has_name = [](const Trail& side) {
    return std::any_of(side.edges.begin(), side.edges.end(), [](const TrailEdge& one) { return one.is_by_name; });
  };
  if (has_field(before) || has_field(after)) out.emplace_back("A cylinder is a field that its neighbours set or read.");
  if (has_name(before) || has_name(after))
    out.emplace_back("Along a dotted arrow one sends it under this name, and the other reads this name of an answer.");
  if (after.left_out > 0) out.push_back(fmt::format("Left out: {}.", count_of(after.left_out, "more function")));
  return join(out, " ");
}

}  // namespace

TrailPicture data_trail_picture(const DocumentInputs& inputs, const Story& story) {
  TrailPicture out;
  const auto& after = out.after = data_trail(inputs, story, true, kMostTrailNodes);
  if (!after) return out;
  const auto gone = data_trail(inputs, story, false, kMostBefore);
  Trail before = gone ? *gone : calls_before(inputs, *after);
  out.legend = legend_of(before, *after);
  out.functions = static_cast<std::size_t>(
      std::count_if(after->nodes.begin(), after->nodes.end(), [](const TrailNode& one) { return !one.is_field; }));
  out.has_lead = !story.central.empty() && after->has(story.actor(story.lead()));
  Flowchart chart;
  chart.left_to_right = true;
  chart.groups = {{"Before"}, {"After"}};
  add_side(chart, before, 0, false);
  // Both sides stay in one chart where they fit.
  const std::size_t left = before.nodes.size() + after->nodes.size() > kMostTrailNodes
                               ? kMostTrailNodes
                               : kMostTrailNodes - after->nodes.size();
  if (out.is_architecture()) GoneCallsOfTrail(inputs, story, before, left, chart).add(*after);
  if (chart.nodes.empty()) {
    FlowNode nothing;
    nothing.label = "nothing of what is NEW";
    nothing.group = 0;
    chart.nodes.push_back(std::move(nothing));
  }
  if (chart.nodes.size() + after->nodes.size() > kMostTrailNodes) {
    chart.groups = {{"Before"}};
    out.charts.push_back(std::move(chart));
    chart = {};
    chart.left_to_right = true;
    chart.groups = {{"After"}};
  }
  const std::size_t first = chart.nodes.size();
  add_side(chart, *after, chart.groups.size() - 1, true);
  // A call that stays and passes on nothing new would look as if it had gone.
  for (const TrailEdge& edge : gone ? std::vector<TrailEdge>() : before.edges)
    add_standing_call(inputs, *after, *before.nodes[edge.from].actor, *before.nodes[edge.to].actor, first, chart);
  out.charts.push_back(std::move(chart));
  return out;
}

}  // namespace lockstep::report
