#include "mesh/relevance.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/worker_pool.h"
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

/// Functions looked at as one item of work; each has answers of its own to questions that come again and again.
constexpr std::size_t kChunk = 2048;

/// Whether a call asks for what differs between ranks, by what it calls. Remembers what names say.
class Asking {
 public:
  explicit Asking(const Interpreter& interpreter) : in_(interpreter) {}

  bool asks(const program::CallSite& site) {
    for (const program::CallTarget& target : site.targets) {
      if (!target.external.empty() && outside_tells(target.external)) return true;
    }
    const auto* call = as<Call>(site.node);
    if (call == nullptr) return false;
    const std::string_view name = called_name(*call);
    return (name == "set" && is<Name>(call->callee)) || (!name.empty() && name_tells(name));
  }

 private:
  /// The program owns one text for each name outside, so that its address tells it apart.
  bool outside_tells(std::string_view name) {
    const auto [place, is_new] = outside_.try_emplace(name.data(), false);
    if (is_new) {
      const SourceKind kind = find_source(name);
      place->second = kind == SourceKind::kRank || kind == SourceKind::kNodeRank || kind == SourceKind::kEnvironment ||
                      kind == SourceKind::kDeviceMesh || kind == SourceKind::kGroupWorld ||
                      find_collective(name) != nullptr;
    }
    return place->second;
  }
  bool name_tells(std::string_view name) {
    if (!may_tell(name)) return false;
    const auto [place, is_new] = names_.try_emplace(name, false);
    if (is_new) place->second = names_something(in_.compute_name_facts(name));
    return place->second;
  }

  const Interpreter& in_;
  std::unordered_map<const char*, bool> outside_;
  std::unordered_map<std::string_view, bool> names_;
};

class BringingBack {
 public:
  BringingBack(Interpreter& interpreter, std::size_t jobs, const Groundwork* groundwork)
      : in_(interpreter), program_(interpreter.program), jobs_(jobs), groundwork_(groundwork) {
    marked_.assign(program_.functions().size(), false);
  }

  std::vector<bool> find() {
    mark_where([&] {
      return [asking = Asking(in_), this](FunctionId function) mutable {
        const auto& calls = program_.functions()[function].calls;
        return std::any_of(calls.begin(), calls.end(),
                           [&](CallId call) { return asking.asks(program_.calls()[call]); });
      };
    });
    spread();
    for (const FunctionId function : order_) note_stores(function);
    if (groundwork_ != nullptr) {
      mark_known_readers();
    } else {
      mark_where([&] { return [this](FunctionId function) { return reads(function); }; });
    }
    spread();
    return std::move(marked_);
  }

 private:
  /// Marks the functions of which it is true, in parallel; `make_test` makes one test for each chunk of functions.
  template <class MakeTest>
  void mark_where(MakeTest&& make_test) {
    const std::size_t count = program_.functions().size();
    std::vector<std::vector<FunctionId>> found((count + kChunk - 1) / kChunk);
    parallel_for(found.size(), jobs_, [&](std::size_t chunk) {
      auto test = make_test();
      for (std::size_t i = chunk * kChunk; i < std::min(count, (chunk + 1) * kChunk); ++i) {
        if (!marked_[i] && test(FunctionId(i))) found[chunk].emplace_back(i);
      }
    });
    for (const auto& functions : found) {
      for (const FunctionId function : functions) mark(function);
    }
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

  /// The same functions as `reads` finds, without looking at any.
  void mark_known_readers() {
    std::vector<FunctionId> found = groundwork_->set_makers;
    for (const std::string_view name : attributes_) {
      const auto readers = groundwork_->readers.find(name);
      if (readers != groundwork_->readers.end()) {
        found.insert(found.end(), readers->second.begin(), readers->second.end());
      }
    }
    std::sort(found.begin(), found.end());
    for (const FunctionId function : found) {
      if (!marked_[function.index()]) mark(function);
    }
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
  std::size_t jobs_;
  const Groundwork* groundwork_;
  std::vector<bool> marked_;
  std::vector<FunctionId> order_;
  std::size_t next_ = 0;
  std::unordered_set<std::string_view> attributes_;
};

}  // namespace

bool names_something(const NameFacts& facts) {
  return facts.group || facts.rank || facts.role || facts.is_mesh || facts.is_group_parameter;
}

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

std::vector<bool> find_bringing_back(Interpreter& interpreter, std::size_t jobs, const Groundwork* groundwork) {
  return BringingBack(interpreter, jobs, groundwork).find();
}

}  // namespace lockstep::mesh
