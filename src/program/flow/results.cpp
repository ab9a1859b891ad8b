#include "program/flow/results.h"

#include <algorithm>
#include <numeric>

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
      : solver_(solver),
        index_(index),
        functions_(functions),
        calls_(calls),
        edges_(solver.edges().begin(), solver.edges().end()) {
    std::sort(edges_.begin(), edges_.end());
    first_edge_.assign(solver.base_op_count() + 1, 0);
    for (const FoundEdge& edge : edges_) ++first_edge_[edge.op + 1];
    std::partial_sum(first_edge_.begin(), first_edge_.end(), first_edge_.begin());
  }

  void run() {
    std::vector<std::vector<Place>> places(solver_.functions().size());
    for (OpId id = 0; id < solver_.base_op_count(); ++id) {
      const bool has_edges = first_edge_[id] != first_edge_[id + 1];
      const bool is_written = is_written_call(solver_.op(id).code);
      if (!has_edges && !is_written) continue;
      const python::Node* node = solver_.node(id);
      places[solver_.function_of_op(id)].push_back({id, node->span.begin, node->span.end, is_written});
    }
    std::vector<std::uint32_t> code_of(functions_.size(), kNone);
    for (std::uint32_t i = 0; i < solver_.functions().size(); ++i) code_of[solver_.functions()[i].id.index()] = i;
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      if (code_of[i] != kNone) add_sites(FunctionId(i), places[code_of[i]]);
    }
  }

 private:
  void add_sites(FunctionId caller, std::vector<Place>& places) {
    // Written calls come first among sites of one node: call_of(node) gives them.
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
      return std::tuple(a.begin, a.end, !a.is_written, a.op) < std::tuple(b.begin, b.end, !b.is_written, b.op);
    });
    for (std::size_t i = 0; i < places.size();) {
      // isinstance tests are looked at twice: ops of one node and sort are one site.
      std::vector<OpId> ops;
      const python::Node* node = solver_.node(places[i].op);
      const bool is_written = places[i].is_written;
      for (; i < places.size() && solver_.node(places[i].op) == node && places[i].is_written == is_written; ++i) {
        ops.push_back(places[i].op);
      }
      add_site(caller, node, ops);
    }
  }

  void add_site(FunctionId caller, const python::Node* node, const std::vector<OpId>& ops) {
    CallSite site;
    site.caller = caller;
    site.node = node;
    std::vector<FoundEdge> found;
    for (const OpId op : ops) {
      found.insert(found.end(), edges_.begin() + first_edge_[op], edges_.begin() + first_edge_[op + 1]);
    }
    for (const FoundEdge& edge : found) {
      CallTarget target;
      target.function = edge.function;
      if (!edge.function.valid()) target.external = keep(edge.external);
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
    if (site.targets.empty()) site.unresolved_because = solver_.why_unresolved(ops.front());
    functions_[caller].calls.push_back(calls_.add(std::move(site)));
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

  std::string_view keep(NameId name) {
    if (name >= kept_.size()) kept_.resize(name + 1);
    if (kept_[name].empty()) {
      index_.texts.push_back(solver_.name(name));
      kept_[name] = index_.texts.back();
    }
    return kept_[name];
  }

  const Solver& solver_;
  Program::Index& index_;
  Table<FunctionId, Function>& functions_;
  Table<CallId, CallSite>& calls_;
  std::vector<FoundEdge> edges_;
  std::vector<std::uint32_t> first_edge_;
  std::vector<std::string_view> kept_;
};

}  // namespace

void add_call_sites(const Solver& solver, Program::Index& index, Table<FunctionId, Function>& functions,
                    Table<CallId, CallSite>& calls) {
  SiteBuilder(solver, index, functions, calls).run();
}

void add_instances(const Solver& solver, Program::Index& index) {
  Slot end = 0;
  for (const FunctionCode& code : solver.functions()) end = std::max(end, code.end_slot);
  std::vector<std::uint32_t> code_of_slot(end, kNone);
  for (std::uint32_t i = 0; i < solver.functions().size(); ++i) {
    const FunctionCode& code = solver.functions()[i];
    std::fill(code_of_slot.begin() + code.first_slot, code_of_slot.begin() + code.end_slot, i);
  }
  std::vector<std::pair<const python::Expr*, std::uint32_t>> found;
  for (const Solver::ExpressionSlot& each : solver.expressions()) {
    const std::uint32_t function = each.slot < end ? code_of_slot[each.slot] : kNone;
    const auto classes = solver.classes_in(each.slot, function);
    if (classes.empty()) continue;
    found.emplace_back(each.expression, static_cast<std::uint32_t>(index.instance_starts.size()));
    index.instance_starts.push_back(static_cast<std::uint32_t>(index.instances.size()));
    index.instances.insert(index.instances.end(), classes.begin(), classes.end());
  }
  index.instance_starts.push_back(static_cast<std::uint32_t>(index.instances.size()));
  index.instance_lists.reserve(found.size());
  for (const auto& [expression, list] : found) index.instance_lists.insert(expression, list);
}

}  // namespace lockstep::program::flow
