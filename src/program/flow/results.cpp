#include "program/flow/results.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>

#include "base/worker_pool.h"

namespace lockstep::program::flow {
namespace {

bool is_written_call(OpCode code) {
  return code == OpCode::kCall || code == OpCode::kMethodCall || code == OpCode::kSuper;
}

/// Where a call site stands among those of its function.
struct Place {
  OpId op;
  std::uint32_t begin;
  std::uint32_t end;
  bool is_written;
};

class SiteBuilder {
 public:
  SiteBuilder(const Solver& solver, Program::Index& index, Table<FunctionId, Function>& functions,
              Table<CallId, CallSite>& calls)
      : solver_(solver), index_(index), functions_(functions), calls_(calls) {
    sort_edges();
    keep_names();
  }

  /// Functions are looked at in parallel, a chunk of neighbours at a time; their sites are numbered in order
  /// afterwards.
  void run(std::size_t jobs) {
    std::vector<std::uint32_t> code_of(functions_.size(), kNone);
    for (std::uint32_t i = 0; i < solver_.functions().size(); ++i) code_of[solver_.functions()[i].id.index()] = i;
    place_calls();
    std::vector<std::vector<CallSite>> found((functions_.size() + kChunk - 1) / kChunk);
    parallel_for(found.size(), jobs, [&](std::size_t chunk) {
      const std::size_t end = std::min((chunk + 1) * kChunk, functions_.size());
      for (std::size_t i = chunk * kChunk; i < end; ++i) {
        if (code_of[i] != kNone) add_sites(FunctionId(i), code_of[i], found[chunk]);
      }
    });
    std::size_t count = 0;
    for (const auto& sites : found) count += sites.size();
    calls_.reserve(calls_.size() + count);
    for (auto& sites : found) {
      for (CallSite& site : sites) {
        const FunctionId caller = site.caller;
        functions_[caller].calls.push_back(calls_.add(std::move(site)));
      }
      std::vector<CallSite>().swap(sites);
    }
  }

 private:
  static constexpr std::size_t kChunk = 128;

  /// Groups the edges by op, each group in order.
  void sort_edges() {
    const auto& all = solver_.edges();
    first_edge_.assign(solver_.base_op_count() + 1, 0);
    for (const FoundEdge& edge : all) ++first_edge_[edge.op + 1];
    std::partial_sum(first_edge_.begin(), first_edge_.end(), first_edge_.begin());
    std::vector<std::uint32_t> next(first_edge_.begin(), first_edge_.end() - 1);
    edges_.resize(all.size());
    for (const FoundEdge& edge : all) edges_[next[edge.op]++] = edge;
  }

  /// Texts of all external targets, in the order of ops.
  void keep_names() {
    for (const FoundEdge& edge : edges_) {
      if (edge.function.valid()) continue;
      if (edge.external >= kept_.size()) kept_.resize(edge.external + std::size_t{1});
      if (!kept_[edge.external].empty()) continue;
      index_.texts.push_back(solver_.name(edge.external));
      kept_[edge.external] = index_.texts.back();
    }
  }

  /// Lists the ops that are call sites, by the code they belong to.
  void place_calls() {
    const std::size_t count = solver_.base_op_count();
    const auto is_site = [&](OpId id) {
      return first_edge_[id] != first_edge_[id + 1] || is_written_call(solver_.op(id).code);
    };
    first_place_.assign(solver_.functions().size() + 1, 0);
    for (OpId id = 0; id < count; ++id) {
      if (is_site(id)) ++first_place_[solver_.function_of_op(id) + 1];
    }
    std::partial_sum(first_place_.begin(), first_place_.end(), first_place_.begin());
    std::vector<std::uint32_t> next(first_place_.begin(), first_place_.end() - 1);
    places_.resize(first_place_.back());
    for (OpId id = 0; id < count; ++id) {
      if (is_site(id)) places_[next[solver_.function_of_op(id)]++] = {id, 0, 0, is_written_call(solver_.op(id).code)};
    }
  }

  void add_sites(FunctionId caller, std::uint32_t code, std::vector<CallSite>& out) {
    const std::span<Place> places(places_.begin() + first_place_[code], places_.begin() + first_place_[code + 1]);
    for (Place& place : places) {
      const python::Node* node = solver_.node(place.op);
      place.begin = node->span.begin;
      place.end = node->span.end;
    }
    // Written calls come first among sites of one node: call_of(node) gives them.
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
      return std::tuple(a.begin, a.end, !a.is_written, a.op) < std::tuple(b.begin, b.end, !b.is_written, b.op);
    });
    std::vector<OpId> ops;
    std::vector<FoundEdge> edges;
    for (std::size_t i = 0; i < places.size();) {
      // isinstance tests are looked at twice: ops of one node and sort are one site.
      ops.clear();
      const python::Node* node = solver_.node(places[i].op);
      const bool is_written = places[i].is_written;
      for (; i < places.size() && solver_.node(places[i].op) == node && places[i].is_written == is_written; ++i) {
        ops.push_back(places[i].op);
      }
      edges.clear();
      for (const OpId op : ops) {
        const auto first = edges_.begin() + first_edge_[op];
        const auto last = edges_.begin() + first_edge_[op + 1];
        std::sort(first, last);  // nobody else looks at this op
        edges.insert(edges.end(), first, last);
      }
      out.push_back(make_site(caller, node, ops, edges));
    }
  }

  CallSite make_site(FunctionId caller, const python::Node* node, const std::vector<OpId>& ops,
                     const std::vector<FoundEdge>& found) const {
    CallSite site;
    site.caller = caller;
    site.node = node;
    for (const FoundEdge& edge : found) {
      CallTarget target;
      target.function = edge.function;
      if (!edge.function.valid()) target.external = kept_[edge.external];
      target.kind = edge.kind;
      target.certainty = certainty(found, edge);
      const auto same = [&](const CallTarget& other) {
        return other.function == target.function && other.external == target.external;
      };
      const auto known = std::find_if(site.targets.begin(), site.targets.end(), same);
      if (known == site.targets.end()) {
        site.targets.push_back(target);
      } else {
        known->certainty = std::min(known->certainty, target.certainty);
      }
    }
    std::sort(site.targets.begin(), site.targets.end(), [&](const CallTarget& a, const CallTarget& b) {
      return std::tuple(a.certainty, name_of(a)) < std::tuple(b.certainty, name_of(b));
    });
    drop_missing(site.targets);
    if (site.targets.empty()) site.unresolved_because = solver_.why_unresolved(ops.front());
    return site;
  }

  /// Names below the repository's own packages that it does not define (imports of modules that are gone) are no
  /// targets beside those that exist.
  void drop_missing(std::vector<CallTarget>& targets) const {
    const bool any_inside =
        std::any_of(targets.begin(), targets.end(), [](const CallTarget& each) { return each.function.valid(); });
    if (!any_inside) return;
    std::erase_if(targets, [&](const CallTarget& each) {
      const std::string_view top = each.external.substr(0, each.external.find('.'));
      return !each.function.valid() && index_.namespaces.contains(top) && index_.module_by_name.contains(top);
    });
  }

  /// Callbacks and implicit calls of a site are judged among themselves.
  static int group(CallKind kind) {
    return kind == CallKind::kCallback ? 1 : kind == CallKind::kImplicit ? 2 : kind == CallKind::kAutograd ? 3 : 0;
  }

  /// Exact where nothing else can be called instead: one target, or the several methods that one thing runs together
  /// (__enter__ and __exit__, __new__ and __init__, forward and backward).
  Certainty certainty(const std::vector<FoundEdge>& all, const FoundEdge& edge) const {
    const bool runs_several =
        edge.kind == CallKind::kImplicit || edge.kind == CallKind::kAutograd || edge.kind == CallKind::kConstructor;
    const auto competes = [&](const FoundEdge& other) {
      if (group(other.kind) != group(edge.kind) || other.choice == edge.choice) return false;
      if (other.function == edge.function && other.external == edge.external) return false;
      const bool both_inside = other.function.valid() && edge.function.valid();
      const bool is_companion = runs_several && other.kind == edge.kind && both_inside &&
                                functions_[other.function].name != functions_[edge.function].name;
      return !is_companion;
    };
    return std::any_of(all.begin(), all.end(), competes) ? Certainty::kPossible : Certainty::kExact;
  }

  std::string_view name_of(const CallTarget& target) const {
    return target.function.valid() ? std::string_view(functions_[target.function].qualified_name) : target.external;
  }

  const Solver& solver_;
  Program::Index& index_;
  Table<FunctionId, Function>& functions_;
  Table<CallId, CallSite>& calls_;
  HugeVector<FoundEdge> edges_;             ///< By op.
  std::vector<std::uint32_t> first_edge_;   ///< By base op, into edges_; one more at the end.
  HugeVector<Place> places_;                ///< By code.
  std::vector<std::uint32_t> first_place_;  ///< By index into functions(), into places_; one more at the end.
  std::vector<std::string_view> kept_;      ///< By external name that is a target.
};

}  // namespace

void add_call_sites(const Solver& solver, Program::Index& index, Table<FunctionId, Function>& functions,
                    Table<CallId, CallSite>& calls, std::size_t jobs) {
  SiteBuilder(solver, index, functions, calls).run(jobs);
}

void add_caller_choices(const Solver& solver, Program::Index& index, const Table<CallId, CallSite>& calls) {
  using Choice = Program::Index::CallerChoice;
  index.depends_on_caller.assign(calls.size(), false);
  /// The site of a written call; none for others.
  const auto site_of = [&](OpId op) {
    if (!is_written_call(solver.op(op).code)) return CallId();
    const std::uint32_t at = index.calls_of_nodes.at(solver.node(op));
    return at == NodeMap::kNone ? CallId() : CallId(std::size_t{at});
  };
  const auto is_one_of_several = [&](CallId call) {
    const auto& targets = calls[call].targets;
    return std::count_if(targets.begin(), targets.end(), [](const CallTarget& one) { return one.function.valid(); }) >
           1;
  };
  std::vector<FrameEdge> edges = solver.frame_edges();
  std::erase_if(edges, [&](const FrameEdge& edge) {
    const CallId call = site_of(edge.op);
    return !call.valid() || !is_one_of_several(call);
  });
  std::sort(edges.begin(), edges.end());
  std::vector<FrameEntry> entries = solver.frame_entries();
  std::sort(entries.begin(), entries.end());
  const auto edges_in = [&](FrameId frame) {
    const auto by_frame = [](const FrameEdge& edge, FrameId of) { return edge.frame < of; };
    const auto past_frame = [](FrameId of, const FrameEdge& edge) { return of < edge.frame; };
    return std::span(std::lower_bound(edges.begin(), edges.end(), frame, by_frame),
                     std::upper_bound(edges.begin(), edges.end(), frame, past_frame));
  };
  std::vector<Choice>& choices = index.caller_choices;
  // Code that is lowered twice, a `finally` say, has several ops for a call: all of them must be told apart.
  std::vector<std::pair<CallId, FunctionId>> shared;
  for (std::size_t i = 0; i < entries.size();) {
    std::size_t end = i;
    while (end < entries.size() && entries[end].site == entries[i].site && entries[end].function == entries[i].function)
      ++end;
    const CallId entering = site_of(entries[i].site);
    const FunctionId function = solver.functions()[entries[i].function].id;
    const bool is_shared = entries[i].frame == 0;  // Sorted: the lowest comes first.
    if (entering.valid() && is_shared) shared.emplace_back(entering, function);
    for (std::size_t each = i; each < end && entering.valid() && !is_shared; ++each) {
      if (each > i && entries[each].frame == entries[each - 1].frame) continue;
      for (const FrameEdge& edge : edges_in(entries[each].frame)) {
        const CallId call = site_of(edge.op);
        if (calls[call].caller == function) choices.push_back({entering, call, edge.function});
      }
    }
    i = end;
  }
  std::sort(shared.begin(), shared.end());
  std::erase_if(choices, [&](const Choice& choice) {
    return std::binary_search(shared.begin(), shared.end(), std::pair(choice.entering, calls[choice.call].caller));
  });
  std::sort(choices.begin(), choices.end());
  choices.erase(std::unique(choices.begin(), choices.end()), choices.end());
  for (const Choice& choice : choices) index.depends_on_caller[choice.call.index()] = true;
}

void add_instances(const Solver& solver, Program::Index& index) {
  Slot end = 0;
  for (const FunctionCode& code : solver.functions()) end = std::max(end, code.end_slot);
  std::vector<std::uint32_t> code_of_slot(end, kNone);
  for (std::uint32_t i = 0; i < solver.functions().size(); ++i) {
    const FunctionCode& code = solver.functions()[i];
    std::fill(code_of_slot.begin() + code.first_slot, code_of_slot.begin() + code.end_slot, i);
  }
  const auto& expressions = solver.expressions();
  std::vector<std::pair<const python::Expr*, std::uint32_t>> lists;  // expression, and how many classes
  for (const Solver::ExpressionSlot& each : expressions) {
    const std::uint32_t function = each.slot < end ? code_of_slot[each.slot] : kNone;
    const std::size_t count = solver.classes_in(each.slot, function, index.instances);
    if (count > 0) lists.emplace_back(each.expression, static_cast<std::uint32_t>(count));
  }
  index.instance_lists.reserve(lists.size());
  index.instance_starts.reserve(lists.size() + 1);
  index.instance_starts.push_back(0);
  for (const auto& [expression, count] : lists) {
    index.instance_lists.insert(expression, static_cast<std::uint32_t>(index.instance_starts.size() - 1));
    index.instance_starts.push_back(index.instance_starts.back() + count);
  }
}

}  // namespace lockstep::program::flow
