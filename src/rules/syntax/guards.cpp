#include "rules/syntax/guards.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "python/tree_walk.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;

namespace {

bool leaves(Seq<Stmt> body) { return !body.empty() && rules::leaves(*body.back()) && !is<Raise>(body.back()); }

/// The statements of a definition itself; none of a lambda.
Seq<Stmt> own_body(const Node& definition) {
  Seq<Stmt> out;
  for_each_block(definition, [&](Seq<Stmt> body) { out = body; });
  return out;
}

bool holds(const Node* node, Span target) { return node != nullptr && node->span.contains(target); }

bool any_holds(Seq<Stmt> body, Span target) {
  return std::any_of(body.begin(), body.end(), [&](const Stmt* one) { return holds(one, target); });
}

/// A test of one name or chain of names, such that two can be compared: `x`, `not x`, `x is None`.
struct PlainTest {
  std::string of;        ///< "self.x".
  bool is_none = false;  ///< It asks for None; else for truth.
  bool holds = true;     ///< Whether it has to hold.
};

std::optional<PlainTest> plain_test(const Expr& condition, bool wanted) {
  if (const auto* inverse = as<UnaryOp>(&condition); inverse != nullptr && inverse->op == UnaryOperator::kNot)
    return plain_test(*inverse->operand, !wanted);
  const auto none = none_test(condition);
  PlainTest out{dotted_text(none ? none->subject : &condition), none.has_value(), wanted};
  if (none && !none->is_none) out.holds = !wanted;
  return out.of.empty() ? std::nullopt : std::optional(out);
}

/// A way out inside a branch that ends before the place: `if a: if b: return`. Where `b` holds, `a` does not.
struct NestedExit {
  const If* outer;
  bool in_else;    ///< The way out stands in the else branch.
  PlainTest when;  ///< Within it, the way out is taken exactly when this holds.
};

/// The statement of the node's own blocks that holds `target` or is it; null where none does. The statements of a block
/// stand in the order of the source: a long one is not read through for each place in it.
const Node* statement_at(const Node& node, Span target) {
  // The cases of `match` and the handlers of `try` stand between it and their blocks.
  if (is<Match>(&node)) return nullptr;
  const auto* attempt = as<Try>(&node);
  const Node* found = nullptr;
  const auto look = [&](Seq<Stmt> block) {
    const auto at =
        std::partition_point(block.begin(), block.end(), [&](const Stmt* one) { return one->span.end < target.end; });
    if (found == nullptr && at != block.end() && (*at)->span.contains(target)) found = *at;
  };
  if (attempt == nullptr) {
    for_each_block(node, look);
  } else {
    for (const auto& block : {attempt->body, attempt->orelse, attempt->finally_body}) look(block);
  }
  return found;
}

class Guards {
 public:
  explicit Guards(Span target) : target_(target) {}

  void start(Seq<Stmt> body) {
    guards_.clear();
    nested_.clear();
    add_early_exits(body);
  }

  void add(const Node* statement, const Expr* condition, bool negated) {
    guards_.push_back({statement, condition, negated});
  }

  void add_early_exits(Seq<Stmt> body) {
    for (const Stmt* statement : body) {
      if (statement->span.begin >= target_.begin || holds(statement, target_)) break;
      const auto* branch = as<If>(statement);
      if (branch == nullptr) continue;
      if (leaves(branch->body)) {
        add(branch, branch->condition, true);
      } else if (leaves(branch->orelse)) {
        add(branch, branch->condition, false);
      } else {
        add_nested_exits(*branch, branch->body, false);
        add_nested_exits(*branch, branch->orelse, true);
      }
    }
  }

  /// `[f(x) for x in xs if c(x)]`: what the comprehension asks before it comes to the place.
  void add_conditions_of(const Node& comprehension) {
    for (const Comprehension* part : comprehension_generators(comprehension)) {
      const bool is_within = holds(part, target_);
      for (const Expr* condition : part->conditions) {
        if (is_within && condition->span.end > target_.begin) break;
        add(&comprehension, condition, false);
      }
      if (is_within) break;
    }
  }

  std::vector<Guard> take(const Node& function) {
    const std::size_t own = guards_.size();
    for (const NestedExit& exit : nested_) {
      const auto asks_for_it = [&](const Guard& guard) {
        if (guard.condition == nullptr || is<While>(guard.statement)) return false;
        const auto test = plain_test(*guard.condition, !guard.negated);
        return test && test->of == exit.when.of && test->is_none == exit.when.is_none && test->holds == exit.when.holds;
      };
      const auto first = guards_.begin();
      if (std::none_of(first, first + static_cast<std::ptrdiff_t>(own), asks_for_it) ||
          is_bound_after(function, *exit.outer, exit.when.of))
        continue;
      add(exit.outer, exit.outer->condition, !exit.in_else);
    }
    return std::move(guards_);
  }

 private:
  void add_nested_exits(const If& outer, Seq<Stmt> body, bool in_else) {
    for (const Stmt* statement : body) {
      const auto* inner = as<If>(statement);
      if (inner == nullptr || (!leaves(inner->body) && !leaves(inner->orelse))) continue;
      if (auto when = plain_test(*inner->condition, leaves(inner->body)))
        nested_.push_back({&outer, in_else, std::move(*when)});
    }
  }

  /// Whether what is tested may be another value at the place, in the next round of a loop say, than in the branch.
  [[nodiscard]] bool is_bound_after(const Node& function, const If& outer, const std::string& of) const {
    bool found = false;
    walk(function, Nested::kSkip, [&](const Node* node) {
      const auto* name = as<Name>(node);
      const auto* attribute = as<Attribute>(node);
      const bool is_store = (name != nullptr && name->context != ExprContext::kLoad) ||
                            (attribute != nullptr && attribute->context != ExprContext::kLoad);
      if (!is_store || node->span.begin < outer.span.begin) return;
      const std::string stored = dotted_text(static_cast<const Expr*>(node));
      found = found || of == stored || of.starts_with(stored + ".");
    });
    return found;
  }

  Span target_;
  std::vector<Guard> guards_;
  std::vector<NestedExit> nested_;
};

}  // namespace

std::vector<const Node*> chain_to(const Node& root, Span target) {
  std::vector<const Node*> chain;
  const Node* at = &root;
  while (at != nullptr) {
    const Node* next = statement_at(*at, target);
    if (next != nullptr && next->span == target) break;
    if (next == nullptr)
      for_each_child(*at, [&](const Node* child) {
        if (next == nullptr && child->span.contains(target) && !(child->span == target)) next = child;
      });
    if (next != nullptr) chain.push_back(next);
    at = next;
  }
  return chain;
}

std::vector<Guard> guards_of(const Node& function, Span target) {
  Guards guards(target);
  guards.start(own_body(function));
  const Node* scope = &function;
  for (const Node* node : chain_to(function, target)) {
    if (const auto* branch = as<If>(node)) {
      if (holds(branch->condition, target)) continue;
      const bool negated = any_holds(branch->orelse, target);
      guards.add(branch, branch->condition, negated);
      guards.add_early_exits(negated ? branch->orelse : branch->body);
    } else if (const auto* loop = as<While>(node)) {
      if (holds(loop->condition, target)) continue;
      guards.add(loop, loop->condition, any_holds(loop->orelse, target));
      guards.add_early_exits(loop->body);
    } else if (const auto* each = as<For>(node)) {
      if (holds(each->iterable, target)) continue;
      guards.add(each, nullptr, false);
      guards.add_early_exits(each->body);
    } else if (const auto* choice = as<IfExp>(node)) {
      if (holds(choice->condition, target)) continue;
      guards.add(choice, choice->condition, holds(choice->orelse, target));
    } else if (const auto* both = as<BoolOp>(node)) {
      // `a and f()`: what stands before decides whether the rest is asked at all.
      for (const Expr* value : both->values) {
        if (value->span.begin >= target.begin || holds(value, target)) break;
        guards.add(both, value, both->op == BoolOperator::kOr);
      }
    } else if (!comprehension_generators(*node).empty()) {
      guards.add_conditions_of(*node);
    } else if (const auto* with = as<With>(node)) {
      guards.add_early_exits(with->body);
    } else if (const auto* attempt = as<Try>(node)) {
      for (const auto& block : {attempt->body, attempt->orelse, attempt->finally_body}) {
        if (any_holds(block, target)) guards.add_early_exits(block);
      }
    } else if (const auto* handler = as<ExceptHandler>(node)) {
      guards.add_early_exits(handler->body);
    } else if (const auto* one_case = as<MatchCase>(node)) {
      guards.add_early_exits(one_case->body);
    } else if (is<FunctionDef>(node) || is<Lambda>(node)) {
      scope = node;
      guards.start(own_body(*node));
    }
  }
  return guards.take(*scope);
}

}  // namespace lockstep::rules
