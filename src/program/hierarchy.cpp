#include "program/hierarchy.h"

#include <algorithm>

namespace lockstep::program {
namespace {

/// Longest chain of base classes that is followed.
constexpr int kMaxDepth = 200;

using Order = std::vector<ClassId>;

/// C3's merge of `sequences`; false where no order respects them all.
bool merge(std::vector<Order> sequences, Order& out) {
  for (;;) {
    std::erase_if(sequences, [](const Order& sequence) { return sequence.empty(); });
    if (sequences.empty()) return true;
    const auto in_a_tail = [&](ClassId candidate) {
      return std::any_of(sequences.begin(), sequences.end(), [&](const Order& sequence) {
        return std::find(sequence.begin() + 1, sequence.end(), candidate) != sequence.end();
      });
    };
    const auto good = std::find_if(sequences.begin(), sequences.end(),
                                   [&](const Order& sequence) { return !in_a_tail(sequence.front()); });
    if (good == sequences.end()) return false;
    const ClassId next = good->front();
    out.push_back(next);
    for (Order& sequence : sequences) {
      if (sequence.front() == next) sequence.erase(sequence.begin());
    }
  }
}

class Linearizer {
 public:
  explicit Linearizer(const Table<ClassId, Class>& classes)
      : classes_(classes), orders_(classes.size()), states_(classes.size(), State::kNew) {}

  std::vector<Order> run() {
    for (std::size_t i = 0; i < classes_.size(); ++i) order(ClassId(i), 0);
    return std::move(orders_);
  }

 private:
  enum class State : std::uint8_t { kNew, kActive, kDone };

  const Order& order(ClassId id, int depth) {
    Order& out = orders_[id.index()];
    if (states_[id.index()] != State::kNew || depth > kMaxDepth) return out;
    states_[id.index()] = State::kActive;
    std::vector<Order> sequences;
    Order direct;
    for (const ClassId base : classes_[id].bases) {
      const bool in_cycle = states_[base.index()] == State::kActive;
      if (in_cycle || std::find(direct.begin(), direct.end(), base) != direct.end()) continue;
      sequences.push_back(order(base, depth + 1));
      direct.push_back(base);
    }
    Order fallback{id};
    for (const Order& sequence : sequences) {
      for (const ClassId each : sequence) {
        if (std::find(fallback.begin(), fallback.end(), each) == fallback.end()) fallback.push_back(each);
      }
    }
    sequences.push_back(direct);
    Order merged{id};
    out = merge(std::move(sequences), merged) ? std::move(merged) : std::move(fallback);
    states_[id.index()] = State::kDone;
    return out;
  }

  const Table<ClassId, Class>& classes_;
  std::vector<Order> orders_;
  std::vector<State> states_;
};

}  // namespace

Bases resolve_bases(const Program& program, const Resolver& resolver, const Class& cls) {
  Bases bases;
  const auto& facts = *program.modules()[cls.module].facts;
  const python::ScopeId own = facts.scope_of_node.at(cls.node);
  for (const python::Expr* base : cls.node->bases) {
    const Reference found = resolver.resolve(cls.module, facts.scopes[own].parent, *base);
    if (found.kind == Reference::Kind::kClass && &program.classes()[found.cls] != &cls) {
      bases.internal.push_back(found.cls);
    } else if (found.kind == Reference::Kind::kExternal && found.name != "builtins.object") {
      bases.external.push_back(found.name);
    }
  }
  return bases;
}

std::vector<std::vector<ClassId>> linearize(const Table<ClassId, Class>& classes) { return Linearizer(classes).run(); }

}  // namespace lockstep::program
