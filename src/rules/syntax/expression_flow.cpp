// Reads and writes of one variable within expressions, and what conditions and handlers tell of the paths that lead on.

#include "rules/syntax/expression_flow.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "rules/place.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;

namespace {

bool any_in(const std::vector<std::uint32_t>& sorted, Span span) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), span.begin);
  return at != sorted.end() && *at < span.end;
}

/// `a, b = x, y`: each gets its own, unless one of them is read on the right.
const Expr* part_of(const Expr& target, const Expr* value, std::size_t index) {
  const auto* targets = as<Tuple>(&target);
  const auto* values = as<Tuple>(value);
  if (targets == nullptr || values == nullptr || targets->elements.size() != values->elements.size()) return nullptr;
  const auto is_plain = [](const Expr* part) { return is<Name>(part) || is<Constant>(part); };
  for (const Expr* part : targets->elements) {
    if (!is<Name>(part)) return nullptr;
    for (const Expr* from : values->elements) {
      if (is<Name>(from) && as<Name>(from)->id == as<Name>(part)->id) return nullptr;
    }
  }
  const Expr* part = values->elements[index];
  return is_plain(part) ? part : nullptr;
}

}  // namespace

ExpressionFlow::ExpressionFlow(const FileFacts& facts, ScopeId scope, std::string_view name,
                               const std::vector<const Binding*>& bindings, const std::vector<const Name*>& loads,
                               std::vector<UnboundUse>& uses)
    : facts_(facts), scope_(scope), name_(name), atoms_(facts), uses_(uses) {
  for (const Binding* binding : bindings) {
    if (binding->kind != BindingKind::kDelete && binding->kind != BindingKind::kAnnotation) {
      bound_at_.push_back(binding->name_span.begin);
    }
    mentioned_at_.push_back(binding->name_span.begin);
  }
  for (const Name* load : loads) loads_.push_back(load->span.begin);
  mentioned_at_.insert(mentioned_at_.end(), loads_.begin(), loads_.end());
  std::sort(bound_at_.begin(), bound_at_.end());
  std::sort(loads_.begin(), loads_.end());
  std::sort(mentioned_at_.begin(), mentioned_at_.end());
}

bool ExpressionFlow::binds(Span span) const { return any_in(bound_at_, span); }
bool ExpressionFlow::mentions(Span span) const { return any_in(mentioned_at_, span); }

// -------------------------------------------------------------------------------------------------------------
// Reads and writes

void ExpressionFlow::read(const Name& name, State& state) {
  if (name.id != name_ || !std::binary_search(loads_.begin(), loads_.end(), name.span.begin)) return;
  use(name, state);
}

void ExpressionFlow::use(const Node& at, State& state) {
  if (state.unbound) judge(at, state);
  // Past this place the variable had a value.
  state.unbound.reset();
  state.weak.reset();
}

void ExpressionFlow::judge(const Node& at, const State& state) {
  const Path& path = *state.unbound;
  UnboundUse found;
  found.use = &at;
  found.scope = scope_;
  found.name = name_;
  if (!state.bound) {
    if (state.weak) return;
    // Only an earlier round of the loop gives it a value: the first round fails, unless something guards it.
    if (state.carried && (guards_.size() > guard_floor_ || !path.straight)) return;
    if (!path.skips.empty() && path.skips[0].kind == UnboundUse::Skip::kDeleted) {
      found.skipped_by = path.skips[0].by;
      found.skip = UnboundUse::Skip::kDeleted;
    }
    uses_.push_back(found);
    return;
  }
  if (state.carried || path.skips.empty() || path.doubts > 0) return;
  const Skipped& skipped = path.skips[0];
  // In a handler or `finally` of the very `try`: the program is failing anyway.
  if (skipped.kind == UnboundUse::Skip::kException && skipped.by->span.contains(at.span)) return;
  const bool guarded = !guards_.empty() && !guards_.back().contains(skipped.by->span);
  found.certainty = path.skips.size() == 1 && !path.narrowed && !guarded ? UnboundUse::Certainty::kSomePath
                                                                         : UnboundUse::Certainty::kMaybe;
  found.skipped_by = skipped.by;
  found.skip = skipped.kind;
  found.branch = skipped.branch;
  uses_.push_back(found);
}

void ExpressionFlow::assign_other(std::string_view name, const Expr* value, State& state) {
  if (state.unbound && value != nullptr && reads_trace(*state.unbound, *value)) {
    state.unbound->add_trace(std::string(name));
  }
  state.each([&](Path& path) {
    path.facts.assign(atoms_, name, value);
    return true;
  });
}

// -------------------------------------------------------------------------------------------------------------
// What a handler leaves behind, by which code after it may know that it ran

bool ExpressionFlow::reads_trace(const Path& path, const Expr& expression) const {
  if (path.traces.empty()) return false;
  bool found = false;
  const auto look = [&](const Node* node) {
    if (is<Name>(node) || is<Attribute>(node) || is<Subscript>(node)) {
      const std::string text = squeezed(facts_, node->span);
      found = found || std::find(path.traces.begin(), path.traces.end(), text) != path.traces.end();
    }
  };
  look(&expression);
  walk(expression, Nested::kEnter, look);
  return found;
}

/// Below, `condition` came out one way: notes it where it may know of the handler and we do not know what it says.
bool ExpressionFlow::doubt(State& state, const Expr& condition) {
  if (!state.unbound || !reads_trace(*state.unbound, condition)) return false;
  if (state.unbound->facts.decides(atoms_, condition)) return false;
  ++state.unbound->doubts;
  return true;
}

void ExpressionFlow::leave_traces(Seq<Stmt> handler, State& state) const {
  if (!state.unbound) return;
  const auto take = [&](const Expr* node, ExprContext context) {
    if (context == ExprContext::kStore) state.unbound->add_trace(squeezed(facts_, node->span));
  };
  for (const Stmt* statement : handler) {
    const auto look = [&](const Node* node) {
      if (const auto* name = as<Name>(node)) take(name, name->context);
      if (const auto* attribute = as<Attribute>(node)) take(attribute, attribute->context);
      if (const auto* item = as<Subscript>(node)) take(item, item->context);
    };
    walk(*statement, Nested::kSkip, look);
  }
}

void ExpressionFlow::assign(const Expr& target, const Expr* value, State& state) {
  if (const auto* name = as<Name>(&target)) {
    if (name->id == name_) state.bind();
    assign_other(name->id, value, state);
  } else if (is<Attribute>(&target) || is<Subscript>(&target)) {
    for_each_child(target, [&](const Node* child) { evaluate(child, state); });
    const std::string text = squeezed(facts_, target.span);
    state.each([&](Path& path) {
      path.facts.assign_place(atoms_, text);
      return true;
    });
  } else {
    std::size_t index = 0;
    for_each_child(target, [&](const Node* child) {
      if (!is_expression(child)) return;
      assign(*static_cast<const Expr*>(child), part_of(target, value, index++), state);
    });
    if (state.unbound && value != nullptr && reads_trace(*state.unbound, *value)) {
      walk_of<Name>(target, Nested::kSkip, [&](const Name* part) { state.unbound->add_trace(std::string(part->id)); });
    }
  }
}

// -------------------------------------------------------------------------------------------------------------
// Expressions, in the order in which they are evaluated

void ExpressionFlow::assume(State& state, const Expr& condition, bool outcome) {
  state.each([&](Path& path) {
    path.straight = false;
    return path.facts.assume(atoms_, condition, outcome);
  });
}

void ExpressionFlow::evaluate(const Node* node, State& state) {
  if (node == nullptr || !mentions(node->span)) return;
  if (const auto* name = as<Name>(node)) {
    if (name->context == ExprContext::kLoad) read(*name, state);
  } else if (const auto* parts = as<BoolOp>(node)) {
    short_circuit(*parts, state);
  } else if (const auto* choice = as<IfExp>(node)) {
    conditional(*choice, state);
  } else if (const auto* named = as<NamedExpr>(node)) {
    evaluate(named->value, state);
    assign(*named->target, named->value, state);
  } else if (const auto* lambda = as<Lambda>(node)) {
    evaluate(lambda->parameters, state);
  } else if (!comprehension_generators(*node).empty()) {
    comprehension(*node, state);
  } else {
    for_each_child(*node, [&](const Node* child) { evaluate(child, state); });
  }
}

void ExpressionFlow::short_circuit(const BoolOp& parts, State& state) {
  State done;
  const int doubts = doubts_of(state);
  for (std::size_t i = 0; i < parts.values.size(); ++i) {
    const auto visit = [&] { evaluate(parts.values[i], state); };
    i == 0 ? visit() : guarded_by(parts.values[i]->span, visit);
    if (i + 1 == parts.values.size()) break;
    State stop = state;
    doubt(state, *parts.values[i]);
    assume(stop, *parts.values[i], parts.op == BoolOperator::kOr);
    done.merge(stop);
    assume(state, *parts.values[i], parts.op == BoolOperator::kAnd);
  }
  // A walrus in a later part: leave the path without it as a mere possibility.
  if (binds(parts.span)) done.weaken();
  state.merge(done);
  restore_doubts(state, doubts);
}

void ExpressionFlow::conditional(const IfExp& choice, State& state) {
  evaluate(choice.condition, state);
  const int doubts = doubts_of(state);
  doubt(state, *choice.condition);
  State other = state;
  assume(state, *choice.condition, true);
  guarded_by(choice.body->span, [&] { evaluate(choice.body, state); });
  assume(other, *choice.condition, false);
  guarded_by(choice.orelse->span, [&] { evaluate(choice.orelse, other); });
  state.merge(other);
  restore_doubts(state, doubts);
}

/// Generators first, then the element, which may run zero times. Reads of a target of the same name are not in
/// loads_.
void ExpressionFlow::comprehension(const Node& node, State& state) {
  const Seq<Comprehension> generators = comprehension_generators(node);
  if (!generators.empty()) evaluate(generators[0]->iterable, state);
  State inside = state;
  guarded_by(node.span, [&] {
    for (std::size_t i = 0; i < generators.size(); ++i) {
      if (i > 0) evaluate(generators[i]->iterable, inside);
      for (const Expr* condition : generators[i]->conditions) {
        evaluate(condition, inside);
        assume(inside, *condition, true);
      }
    }
    for_each_child(node, [&](const Node* child) {
      if (!is<Comprehension>(child)) evaluate(child, inside);
    });
  });
  inside.weaken();
  if (binds(node.span)) state.weaken();
  state.merge(inside);
}

void ExpressionFlow::assign_name(std::string_view name, State& state) {
  if (name == name_) state.bind();
  assign_other(name, nullptr, state);
}

}  // namespace lockstep::rules
