#include "mesh/relevance.h"

#include <algorithm>
#include <unordered_set>

#include "python/tree_walk.h"

namespace lockstep::mesh {

using namespace python;
using program::CallId;
using program::FunctionId;

namespace {

bool calls_collective(const program::CallSite& site) {
  return std::any_of(site.targets.begin(), site.targets.end(), [](const program::CallTarget& target) {
    return !target.external.empty() && find_collective(target.external) != nullptr;
  });
}

bool names_something(const NameFacts& facts) {
  return facts.group || facts.rank || facts.role || facts.is_mesh || facts.is_group_parameter;
}

class BringingBack {
 public:
  explicit BringingBack(Interpreter& interpreter) : in_(interpreter), program_(interpreter.program) {
    marked_.assign(program_.functions().size(), false);
  }

  std::vector<bool> find() {
    for (const program::CallSite& site : program_.calls()) {
      if (!marked_[site.caller.index()] && asks(site)) mark(site.caller);
    }
    spread();
    for (const FunctionId function : order_) note_stores(function);
    for (std::size_t i = 0; i < program_.functions().size(); ++i) {
      const FunctionId function(i);
      if (!marked_[i] && reads(function)) mark(function);
    }
    spread();
    return std::move(marked_);
  }

 private:
  bool asks(const program::CallSite& site) {
    for (const program::CallTarget& target : site.targets) {
      if (target.external.empty()) continue;
      const SourceKind kind = find_source(target.external);
      if (kind == SourceKind::kRank || kind == SourceKind::kNodeRank || kind == SourceKind::kEnvironment ||
          kind == SourceKind::kDeviceMesh || kind == SourceKind::kGroupWorld ||
          find_collective(target.external) != nullptr) {
        return true;
      }
    }
    const auto* call = as<Call>(site.node);
    if (call == nullptr) return false;
    if (const auto* name = as<Name>(call->callee))
      return name->id == "set" || names_something(in_.name_facts(name->id));
    const auto* attribute = as<Attribute>(call->callee);
    return attribute != nullptr && names_something(in_.name_facts(attribute->name.text));
  }

  void mark(FunctionId function) {
    marked_[function.index()] = true;
    order_.push_back(function);
  }

  /// What calls a marked function that returns something may return it in turn.
  void spread() {
    for (; next_ < order_.size(); ++next_) {
      if (!in_.returns_value(order_[next_])) continue;
      for (const CallId call : program_.callers_of(order_[next_])) {
        const FunctionId caller = program_.calls()[call].caller;
        if (!marked_[caller.index()]) mark(caller);
      }
    }
  }

  /// Attributes that a marked method may have filled with what it asked for.
  void note_stores(FunctionId function) {
    const program::Function& row = program_.functions()[function];
    if (!row.owner.valid() || row.def() == nullptr) return;
    walk_statements(*row.def(), Nested::kSkip, [&](const Stmt* statement) {
      if (const auto* assign = as<Assign>(statement)) {
        for (const Expr* target : assign->targets) {
          if (const auto* attribute = as<Attribute>(target)) attributes_.insert(attribute->name.text);
        }
      }
    });
  }

  bool reads(FunctionId function) {
    const program::Function& row = program_.functions()[function];
    if (row.def() == nullptr || !in_.returns_value(function)) return false;
    bool found = false;
    walk(*row.def(), Nested::kSkip, [&](const Node* node) {
      if (found) return false;
      if (const auto* attribute = as<Attribute>(node)) found = attributes_.contains(attribute->name.text);
      if (is<Set>(node) || is<SetComp>(node)) found = true;
      return !found;
    });
    return found;
  }

  Interpreter& in_;
  const program::Program& program_;
  std::vector<bool> marked_;
  std::vector<FunctionId> order_;
  std::size_t next_ = 0;
  std::unordered_set<std::string_view> attributes_;
};

}  // namespace

std::vector<FunctionId> find_issuing(const program::Program& program, std::vector<bool>& issues) {
  std::vector<FunctionId> order;
  issues.assign(program.functions().size(), false);
  for (const program::CallSite& site : program.calls()) {
    if (issues[site.caller.index()] || !calls_collective(site)) continue;
    issues[site.caller.index()] = true;
    order.push_back(site.caller);
  }
  return order;
}

std::vector<FunctionId> find_communicating(const program::Program& program, std::vector<bool>& communicates) {
  std::vector<FunctionId> order = find_issuing(program, communicates);
  const auto reach = [&](FunctionId function) {
    if (!function.valid() || communicates[function.index()]) return;
    communicates[function.index()] = true;
    order.push_back(function);
  };
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const CallId call : program.callers_of(order[next])) reach(program.calls()[call].caller);
  }
  return order;
}

std::vector<bool> find_bringing_back(Interpreter& interpreter) { return BringingBack(interpreter).find(); }

}  // namespace lockstep::mesh
