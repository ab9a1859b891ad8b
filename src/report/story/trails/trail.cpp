#include "report/story/trails/trail.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/trails/carriers.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The collective that the changed steps of a function issue; of several the first. Empty for none.
std::string communication(const DocumentInputs& inputs, const Actor& actor, bool is_after) {
  const bool is_there = is_after ? actor.change->after.has_value() : actor.change->before.has_value();
  const mesh::MeshAnalysis* mesh = is_after ? inputs.after_mesh : inputs.before_mesh;
  if (!is_there || mesh == nullptr) return {};
  const WordsContext context = is_after ? context_after(inputs, actor) : context_before(inputs, actor);
  std::string out;
  for (const Step& step : is_after ? actor.steps.after : actor.steps.before) {
    if (!out.empty() || step.node == nullptr || step.kind != StepKind::kPlain) continue;
    if (step.status == StepStatus::kKept && !actor.is_added() && !actor.is_removed()) continue;
    walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
      const mesh::CollectiveSite* site = out.empty() ? collective_at(context, call) : nullptr;
      if (site != nullptr) out = unmarked(collective_words(*site, *mesh));
    });
  }
  return out;
}

constexpr std::size_t kFewest = 3;  ///< Functions: what two have in common one sentence says.

class Builder {
 public:
  /// `lead`: the function that carries the change; may be null.
  Builder(const DocumentInputs& inputs, const Actor* lead, bool is_after)
      : inputs_(inputs), lead_(lead), is_after_(is_after) {}

  /// `carrier` outlives the builder.
  void add(const Carrier& carrier) {
    std::vector<const Actor*> takers = carrier.takers;
    // What one function alone gives and takes goes nowhere.
    if (carrier.givers.size() == 1) std::erase(takers, carrier.givers.front());
    if (takers.empty()) return;
    const bool is_field = carrier.kind == Carrier::Kind::kField;
    if (carrier.is_of_one_sided) {
      of_new_functions_.push_back(&carrier);
      return;
    }
    if (!is_field || (carrier.givers.size() == 1 && takers.size() == 1 && !carrier.is_filled)) {
      for (const Actor* giver : carrier.givers) {
        for (const Actor* taker : takers) {
          if (giver != taker) edge(function(*giver), function(*taker), carrier.name, carrier.kind);
        }
      }
      return;
    }
    // Fields of one class that the same functions give and take are one thing here.
    const auto alike = std::find_if(fields_.begin(), fields_.end(), [&](const Field& one) {
      return one.carrier->owner == carrier.owner && one.carrier->is_old == carrier.is_old && !carrier.owner.empty() &&
             one.carrier->givers == carrier.givers && one.carrier->takers == carrier.takers;
    });
    if (alike != fields_.end()) {
      trail_.nodes[alike->node].name += ", " + carrier.name;
      return;
    }
    TrailNode node;
    node.actor = carrier.field;
    node.is_field = true;
    node.cls = carrier.cls;
    node.is_filled = carrier.is_filled;
    node.is_old = carrier.is_old;
    node.name = carrier.owner.empty() ? carrier.name : carrier.owner + "." + carrier.name;
    trail_.nodes.push_back(std::move(node));
    const std::size_t field = trail_.nodes.size() - 1;
    fields_.push_back({&carrier, field});
    for (const Actor* giver : carrier.givers) edge(function(*giver), field, {}, carrier.kind);
    for (const Actor* taker : takers) {
      // What gives it, too, mostly takes it to make another.
      if (std::find(carrier.givers.begin(), carrier.givers.end(), taker) == carrier.givers.end())
        edge(field, function(*taker), {}, carrier.kind);
    }
  }

  std::optional<Trail> run(std::size_t most) {
    // What new functions are given says no more than who calls them.
    if (trail_.edges.empty()) return std::nullopt;
    add_arguments();
    mark_lead();
    keep_parts(most);
    while (trail_.nodes.size() > most) drop_least();
    drop_ends();
    keep_parts(most);
    std::size_t functions = 0;
    bool has_names = false;
    for (const TrailNode& node : trail_.nodes) {
      functions += node.is_field ? 0 : 1;
      has_names = has_names || node.is_field;
    }
    for (const TrailEdge& edge : trail_.edges) has_names = has_names || !edge.names.empty();
    if (functions < kFewest || !has_names) return std::nullopt;
    for (TrailNode& node : trail_.nodes) {
      if (!node.is_field) node.communicates = communication(inputs_, *node.actor, is_after_);
    }
    return std::move(trail_);
  }

 private:
  /// What new functions are given, where nothing else ties them to their caller.
  void add_arguments() {
    const std::vector<TrailEdge> known = trail_.edges;
    for (const Carrier* carrier : of_new_functions_) {
      for (const Actor* giver : carrier->givers) {
        for (const Actor* taker : carrier->takers) {
          if (giver == taker) continue;
          const std::size_t from = function(*giver);
          const std::size_t to = function(*taker);
          const bool is_tied = std::any_of(known.begin(), known.end(), [&](const TrailEdge& one) {
            return (one.from == from && one.to == to) || (one.from == to && one.to == from);
          });
          if (!is_tied) edge(from, to, carrier->name, carrier->kind);
        }
      }
    }
  }

  std::size_t function(const Actor& actor) {
    const auto [found, is_new] = functions_.try_emplace(&actor, trail_.nodes.size());
    if (is_new) {
      TrailNode node;
      node.actor = &actor;
      const auto& side = is_after_ ? actor.change->after : actor.change->before;
      node.name = short_name(is_after_ ? *inputs_.after : *inputs_.before, side->function);
      trail_.nodes.push_back(std::move(node));
    }
    return found->second;
  }

  void edge(std::size_t from, std::size_t to, const std::string& name, Carrier::Kind kind) {
    const bool is_by_name = kind == Carrier::Kind::kKey;
    const auto known = std::find_if(trail_.edges.begin(), trail_.edges.end(),
                                    [&](const TrailEdge& one) { return one.from == from && one.to == to; });
    const bool is_argument = kind == Carrier::Kind::kParameter;
    TrailEdge& out = known == trail_.edges.end()
                         ? trail_.edges.emplace_back(TrailEdge{from, to, {}, is_argument, is_by_name})
                         : *known;
    out.is_by_name = out.is_by_name && is_by_name;
    out.is_argument = out.is_argument || is_argument;
    if (!name.empty() && std::find(out.names.begin(), out.names.end(), name) == out.names.end())
      out.names.push_back(name);
  }

  /// Takes out the nodes for which `goes` is set, with their arrows.
  void drop(const std::vector<bool>& goes) {
    std::vector<std::size_t> place(trail_.nodes.size());
    std::vector<TrailNode> kept;
    for (std::size_t i = 0; i < trail_.nodes.size(); ++i) {
      place[i] = kept.size();
      if (!goes[i]) kept.push_back(std::move(trail_.nodes[i]));
    }
    trail_.nodes = std::move(kept);
    std::erase_if(trail_.edges, [&](const TrailEdge& one) { return goes[one.from] || goes[one.to]; });
    for (TrailEdge& one : trail_.edges) {
      one.from = place[one.from];
      one.to = place[one.to];
    }
  }

  /// Of each node, the first node of those that arrows join it to.
  [[nodiscard]] std::vector<std::size_t> parts() const {
    std::vector<std::size_t> part(trail_.nodes.size());
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = i;
    for (bool again = true; again;) {
      again = false;
      for (const TrailEdge& one : trail_.edges) {
        const std::size_t least = std::min(part[one.from], part[one.to]);
        again = again || part[one.from] != part[one.to];
        part[one.from] = part[one.to] = least;
      }
    }
    return part;
  }

  /// Marks what the lead is joined to, where that are three functions or more.
  void mark_lead() {
    const std::vector<std::size_t> part = parts();
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (trail_.nodes[i].is_field || trail_.nodes[i].actor != lead_) continue;
      std::size_t functions = 0;
      for (std::size_t j = 0; j < part.size(); ++j)
        functions += part[j] == part[i] && !trail_.nodes[j].is_field ? 1 : 0;
      for (std::size_t j = 0; j < part.size(); ++j)
        trail_.nodes[j].is_of_lead = part[j] == part[i] && functions >= kFewest;
      return;
    }
  }

  /// Keeps the part of the lead and that which joins most functions, and others of three or more as long as there is
  /// room.
  void keep_parts(std::size_t most) {
    const std::vector<std::size_t> part = parts();
    std::map<std::size_t, std::size_t> functions;
    std::map<std::size_t, std::size_t> sizes;
    for (std::size_t i = 0; i < part.size(); ++i) {
      functions[part[i]] += trail_.nodes[i].is_field ? 0 : 1;
      ++sizes[part[i]];
    }
    std::vector<std::size_t> order;
    for (const auto& [at, count] : functions) order.push_back(at);
    const auto is_of_lead = [&](std::size_t at) { return trail_.nodes[at].is_of_lead; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(is_of_lead(a), functions[a]) > std::pair(is_of_lead(b), functions[b]);
    });
    std::set<std::size_t> kept;
    std::size_t room = most;
    constexpr std::size_t kFewestOfRest = 6;
    for (const std::size_t at : order) {
      const bool is_second = kept.size() == 1 && is_of_lead(*kept.begin()) && room >= kFewestOfRest;
      const bool fits = (sizes[at] <= room || is_second) && functions[at] >= kFewest;
      if (!kept.empty() && !fits) continue;
      kept.insert(at);
      room -= std::min(room, sizes[at]);
    }
    std::vector<bool> goes(part.size());
    for (std::size_t i = 0; i < part.size(); ++i) goes[i] = !kept.contains(part[i]);
    drop(goes);
  }

  [[nodiscard]] std::size_t arrows(std::size_t node) const {
    return static_cast<std::size_t>(std::count_if(trail_.edges.begin(), trail_.edges.end(), [&](const TrailEdge& one) {
      return one.from == node || one.to == node;
    }));
  }

  /// The function of the least weight among those with the fewest arrows; of the lead's part where nothing else is
  /// left.
  void drop_least() {
    std::size_t least = SIZE_MAX;
    const auto order = [&](std::size_t i) {
      return std::tuple(trail_.nodes[i].is_of_lead, arrows(i), trail_.nodes[i].actor->weight);
    };
    for (std::size_t i = 0; i < trail_.nodes.size(); ++i) {
      if (!trail_.nodes[i].is_field && (least == SIZE_MAX || order(i) < order(least))) least = i;
    }
    std::vector<bool> goes(trail_.nodes.size());
    if (least == SIZE_MAX) {
      goes.back() = true;
    } else {
      goes[least] = true;
      ++trail_.left_out;
    }
    drop(goes);
  }

  /// Fields that nothing takes, or that nothing gives and one function alone takes.
  void drop_ends() {
    std::vector<bool> goes(trail_.nodes.size());
    for (std::size_t i = 0; i < goes.size(); ++i) {
      const bool is_taken =
          std::any_of(trail_.edges.begin(), trail_.edges.end(), [&](const TrailEdge& one) { return one.from == i; });
      goes[i] = trail_.nodes[i].is_field && (!is_taken || (arrows(i) < 2 && !trail_.nodes[i].is_filled));
    }
    drop(goes);
  }

  struct Field {
    const Carrier* carrier;
    std::size_t node;
  };

  const DocumentInputs& inputs_;
  const Actor* lead_;
  const bool is_after_;
  Trail trail_;
  std::vector<Field> fields_;
  std::vector<const Carrier*> of_new_functions_;
  std::map<const Actor*, std::size_t> functions_;
};

}  // namespace

std::optional<Trail> data_trail(const DocumentInputs& inputs, const Story& story, bool is_after, std::size_t most) {
  const std::vector<Carrier> carriers = carriers_of(inputs, story, is_after);
  const Actor* lead = story.central.empty() ? nullptr : &story.actor(story.lead());
  Builder builder(inputs, lead, is_after);
  for (const Carrier& carrier : carriers) builder.add(carrier);
  return builder.run(most);
}

bool Trail::has(const Actor& actor) const {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const TrailNode& one) { return !one.is_field && one.actor == &actor; });
}

}  // namespace lockstep::report
