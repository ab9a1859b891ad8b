// Forward analysis of one variable. A state says on which kinds of paths control can be here: with a value, without
// one, and two kinds that are possible but nobody would call a bug: without one because a loop ran zero times (`weak`),
// and with one from an earlier round of a loop (`carried`). Each kind keeps what holds on all of its paths.

#include "rules/syntax/variable_flow.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "python/tree_walk.h"
#include "rules/syntax/expression_flow.h"

namespace lockstep::rules {
namespace {

using namespace python;

class Follower : ExpressionFlow {
 public:
  Follower(const FileFacts& facts, ScopeId scope, std::string_view name, const std::vector<const Binding*>& bindings,
           const std::vector<const Name*>& loads, const NeverReturns& never_returns, const MayRaise& may_raise,
           std::vector<UnboundUse>& uses)
      : ExpressionFlow(facts, scope, name, bindings, loads, uses),
        never_returns_(never_returns),
        may_raise_(may_raise) {
    for (const Binding* binding : bindings) is_parameter_ = is_parameter_ || binding->kind == BindingKind::kParameter;
  }

  void run() {
    State state;
    (is_parameter_ ? state.bound : state.unbound).emplace();
    const Node* node = facts_.scopes[scope_].node;
    for_each_block(*node, [&](Seq<Stmt> body) { block(body, state); });
  }

 private:
  struct Loop {
    State at_break, at_continue;
  };
  struct Attempt {
    State raised;  ///< Where control may leave for a handler.
    bool catches_all;
  };

  static Span span_of(Seq<Stmt> body) {
    return body.empty() ? Span{} : Span{body.front()->span.begin, body.back()->span.end};
  }

  void block(Seq<Stmt> statements, State& state) {
    for (const Stmt* statement : statements) {
      if (!state.alive()) return;
      may_raise(*statement, state);
      execute(*statement, state);
    }
  }

  /// Inside a `try`, control may leave for a handler before each statement that can fail.
  void may_raise(const Stmt& statement, const State& state) {
    if (attempts_.empty() || !can_fail(statement)) return;
    for (std::size_t i = attempts_.size(); i-- > 0;) {
      attempts_[i]->raised.merge(state);
      if (attempts_[i]->catches_all) break;
    }
  }

  static bool can_fail(const Stmt& statement) {
    if (is<Pass>(&statement) || is<Break>(&statement) || is<Continue>(&statement) || is<Global>(&statement))
      return false;
    if (is<FunctionDef>(&statement) || is<ClassDef>(&statement) || is<Nonlocal>(&statement)) return false;
    const auto* assign = as<Assign>(&statement);
    const bool plain = assign != nullptr && assign->targets.size() == 1 && is<Name>(assign->targets[0]);
    if (plain && (is<Constant>(assign->value) || is<Name>(assign->value))) return false;
    return !(plain && (is_empty_display(*assign->value)));
  }
  static bool is_empty_display(const Expr& value) {
    const auto* list = as<List>(&value);
    const auto* dict = as<Dict>(&value);
    return (list != nullptr && list->elements.empty()) || (dict != nullptr && dict->values.empty());
  }

  void execute(const Stmt& statement, State& state) {
    switch (statement.kind) {
      case NodeKind::kIf:
        return branch(*as<If>(&statement), state, false);
      case NodeKind::kFor:
        return for_loop(*as<For>(&statement), state);
      case NodeKind::kWhile:
        return while_loop(*as<While>(&statement), state);
      case NodeKind::kTry:
        return attempt(*as<Try>(&statement), state);
      case NodeKind::kWith:
        return with(*as<With>(&statement), state);
      case NodeKind::kMatch:
        return match(*as<Match>(&statement), state);
      default:
        return simple(statement, state);
    }
  }

  void simple(const Stmt& statement, State& state) {
    switch (statement.kind) {
      case NodeKind::kReturn:
      case NodeKind::kRaise:
        for_each_child(statement, [&](const Node* child) { evaluate(child, state); });
        return state.kill();
      case NodeKind::kBreak:
      case NodeKind::kContinue:
        if (!loops_.empty()) {
          (is<Break>(&statement) ? loops_.back()->at_break : loops_.back()->at_continue).merge(state);
        }
        return state.kill();
      case NodeKind::kAssert: {
        const auto& check = *as<Assert>(&statement);
        evaluate(check.test, state);
        assume(state, *check.test, true);
        if (state.unbound && !state.unbound->skips.empty()) state.unbound->narrowed = true;
        return;
      }
      case NodeKind::kAssign: {
        const auto& assignment = *as<Assign>(&statement);
        evaluate(assignment.value, state);
        for (const Expr* target : assignment.targets) assign(*target, assignment.value, state);
        return;
      }
      case NodeKind::kAnnAssign: {
        const auto& annotated = *as<AnnAssign>(&statement);
        evaluate(annotated.value, state);
        if (annotated.value != nullptr) assign(*annotated.target, annotated.value, state);
        return;
      }
      case NodeKind::kAugAssign: {
        const auto& augmented = *as<AugAssign>(&statement);
        const auto* name = as<Name>(augmented.target);
        if (name != nullptr && name->id == name_) use(*name, state);
        evaluate(augmented.value, state);
        return assign(*augmented.target, nullptr, state);
      }
      case NodeKind::kDelete:
        return remove(*as<Delete>(&statement), state);
      case NodeKind::kExprStmt: {
        evaluate(as<ExprStmt>(&statement)->value, state);
        const auto* call = as<Call>(as<ExprStmt>(&statement)->value);
        if (ends_block(statement) || (call != nullptr && never_returns_(*call))) state.kill();
        if (state.unbound && call != nullptr && reads_trace(*state.unbound, *call) && may_raise_(*call)) {
          ++state.unbound->doubts;
        }
        return;
      }
      case NodeKind::kFunctionDef:
      case NodeKind::kClassDef:
        return define(statement, state);
      case NodeKind::kImport:
      case NodeKind::kImportFrom:
        if (binds(statement.span)) state.bind();
        return;
      default:
        return;
    }
  }

  void define(const Stmt& statement, State& state) {
    if (const auto* function = as<FunctionDef>(&statement)) {
      for (const Expr* decorator : function->decorators) evaluate(decorator, state);
      for (const Parameter* parameter : function->parameters->all) evaluate(parameter->default_value, state);
      assign_name(function->name.text, state);
    } else if (const auto* cls = as<ClassDef>(&statement)) {
      for (const Expr* decorator : cls->decorators) evaluate(decorator, state);
      for (const Expr* base : cls->bases) evaluate(base, state);
      assign_name(cls->name.text, state);
    }
  }

  void remove(const Delete& statement, State& state) {
    for (const Expr* target : statement.targets) {
      const auto* name = as<Name>(target);
      if (name != nullptr && name->id == name_) {
        use(*name, state);
        unset(*target, state);
      } else {
        for_each_child(*target, [&](const Node* child) { evaluate(child, state); });
      }
    }
  }

  /// `del name`, or the end of `except … as name`.
  void unset(const Node& at, State& state) {
    State next;
    for (auto* path : {&state.bound, &state.carried, &state.unbound, &state.weak}) merge_into(next.unbound, *path);
    if (next.unbound) next.unbound->skips = {{&at, UnboundUse::Skip::kDeleted, {}}};
    state = std::move(next);
  }

  /// Marks the paths of `side` as having skipped the assignments on the other side of `by`.
  static void mark_skip(State& side, const Skipped& skipped) {
    if (!side.unbound) return;
    auto& skips = side.unbound->skips;
    for (const Skipped& earlier : skips) {
      if (skipped.by->span.contains(earlier.by->span)) return;  // Decided further inside.
    }
    skips.push_back(skipped);
  }

  void branch(const If& statement, State& state, bool is_elif) {
    evaluate(statement.condition, state);
    const int doubted = doubt(state, *statement.condition) ? 1 : 0;
    State taken = state;
    State other = std::move(state);
    if (is_type_checking_test(*statement.condition)) other.kill();
    assume(taken, *statement.condition, true);
    assume(other, *statement.condition, false);
    guarded_by(span_of(statement.body), [&] { block(statement.body, taken); });
    if (statement.orelse.size() == 1 && is<If>(statement.orelse[0]) &&
        facts_.source().slice(statement.orelse[0]->span).starts_with("elif")) {
      guarded_by(span_of(statement.orelse), [&] { branch(*as<If>(statement.orelse[0]), other, true); });
    } else if (!statement.orelse.empty()) {
      guarded_by(span_of(statement.orelse), [&] { block(statement.orelse, other); });
    }
    using Skip = UnboundUse::Skip;
    if (taken.bound && binds(span_of(statement.body))) {
      const Skip kind = statement.orelse.empty() ? Skip::kNoElse : Skip::kBranch;
      mark_skip(other, {&statement, kind, span_of(statement.orelse)});
      // A chain of elifs without an else: often every case there is.
      if (kind == Skip::kNoElse && is_elif && other.unbound) other.unbound->narrowed = true;
    }
    if (other.bound && binds(span_of(statement.orelse))) {
      mark_skip(taken, {&statement, Skip::kBranch, span_of(statement.body)});
    }
    // Where both ways come through, the condition told nothing apart.
    const int undoubted = taken.unbound && other.unbound ? doubted : 0;
    join(taken, other);
    state = std::move(taken);
    restore_doubts(state, doubts_of(state) - undoubted);
  }

  /// Both ways of a decision come together. Where only one comes through, what follows stands under its condition.
  static void join(State& taken, State& other) {
    State* only = !taken.alive() ? &other : !other.alive() ? &taken : nullptr;
    if (only != nullptr && only->unbound && !only->unbound->skips.empty()) only->unbound->narrowed = true;
    taken.merge(other);
  }

  /// What a loop's body assigns is unknown at its head.
  void enter_loop(const Stmt& loop, State& state) {
    walk_of<Name>(loop, Nested::kSkip, [&](const Name* name) {
      if (name->context == ExprContext::kStore) assign_other(name->id, nullptr, state);
    });
    if (!binds(loop.span)) return;
    for (auto* path : {&state.unbound, &state.weak, &state.bound}) merge_into(state.carried, *path);
  }

  /// After the loop: a value from any round is a value; having none because no round gave one is no bug.
  void leave_loop(const Stmt& loop, State& state) const {
    merge_into(state.bound, state.carried);
    state.carried.reset();
    if (binds(loop.span)) state.weaken();
  }

  static bool is_never_bound(const State& state) { return !state.bound && !state.carried && !state.weak; }

  /// One round. Where nothing before the loop gives a value, the first one has none, whatever led to the loop: only
  /// conditions inside it count.
  void run_round(Seq<Stmt> body, bool never_bound, State& round, Loop& own) {
    const std::size_t outer = guard_floor_;
    if (never_bound) {
      guard_floor_ = guards_.size();
      if (round.unbound) round.unbound->straight = true;
    }
    loops_.push_back(&own);
    block(body, round);
    loops_.pop_back();
    guard_floor_ = outer;
  }

  void for_loop(const For& loop, State& state) {
    evaluate(loop.iterable, state);
    const std::optional<Path> outer_carried = state.carried;
    const bool never_bound = is_never_bound(state);
    enter_loop(loop, state);
    State round = state;
    assign(*loop.target, nullptr, round);
    Loop own;
    run_round(loop.body, never_bound, round, own);
    state.merge(round);
    state.merge(own.at_continue);
    leave_loop(loop, state);
    if (!loop.orelse.empty()) guarded_by(span_of(loop.orelse), [&] { block(loop.orelse, state); });
    leave_loop(loop, own.at_break);
    state.merge(own.at_break);
    merge_into(state.carried, outer_carried);
  }

  void while_loop(const While& loop, State& state) {
    const std::optional<Path> outer_carried = state.carried;
    const bool forever = is_constant_true(*loop.condition);
    const bool never_bound = is_never_bound(state);
    enter_loop(loop, state);
    evaluate(loop.condition, state);
    State round = state;
    assume(round, *loop.condition, true);
    Loop own;
    run_round(loop.body, never_bound, round, own);
    state.merge(round);
    state.merge(own.at_continue);
    if (forever) {
      state.kill();
    } else {
      assume(state, *loop.condition, false);
      leave_loop(loop, state);
      if (!loop.orelse.empty()) guarded_by(span_of(loop.orelse), [&] { block(loop.orelse, state); });
    }
    leave_loop(loop, own.at_break);
    state.merge(own.at_break);
    merge_into(state.carried, outer_carried);
  }

  static bool catches_all(const Try& statement) {
    return std::any_of(statement.handlers.begin(), statement.handlers.end(), [](const ExceptHandler* handler) {
      const auto* name = as<Name>(handler->type);
      return handler->type == nullptr || (name != nullptr && (name->id == "Exception" || name->id == "BaseException"));
    });
  }

  void attempt(const Try& statement, State& state) {
    if (statement.finally_body.empty()) {
      attempt_body(statement, state);
      return;
    }
    // `finally` runs on every way out, also on those of `break` and `continue`.
    Loop* loop = loops_.empty() ? nullptr : loops_.back();
    Loop cut;
    if (loop != nullptr) std::swap(*loop, cut);
    State failing = attempt_body(statement, state);
    if (loop != nullptr) std::swap(*loop, cut);
    if (state.alive()) {
      block(statement.finally_body, state);
    } else if (failing.alive()) {
      failing.weaken();
      block(statement.finally_body, failing);
    }
    if (loop == nullptr) return;
    block(statement.finally_body, cut.at_break);
    loop->at_break.merge(cut.at_break);
    block(statement.finally_body, cut.at_continue);
    loop->at_continue.merge(cut.at_continue);
  }

  /// All of the statement but `finally`; where control may leave its body by an exception.
  State attempt_body(const Try& statement, State& state) {
    Attempt own{{}, catches_all(statement)};
    attempts_.push_back(&own);
    block(statement.body, state);
    attempts_.pop_back();
    block(statement.orelse, state);
    const bool body_binds = binds(span_of(statement.body)) || binds(span_of(statement.orelse));
    State out = std::move(state);
    for (const ExceptHandler* handler : statement.handlers) {
      State caught = own.raised;
      if (body_binds) mark_skip(caught, {&statement, UnboundUse::Skip::kException, handler->span});
      handle(*handler, caught);
      if (body_binds) leave_traces(handler->body, caught);
      out.merge(caught);
    }
    state = std::move(out);
    return own.raised;
  }

  void handle(const ExceptHandler& handler, State& state) {
    evaluate(handler.type, state);
    if (!handler.name.text.empty()) {
      assign_name(handler.name.text, state);
      state.each([&](Path& path) {
        path.facts.assign_exception(atoms_, handler.name.text);
        return true;
      });
    }
    block(handler.body, state);
    if (handler.name.text == name_ && state.alive()) unset(handler, state);
  }

  void with(const With& statement, State& state) {
    for (const WithItem* item : statement.items) {
      evaluate(item->context, state);
      if (item->target != nullptr) assign(*item->target, nullptr, state);
    }
    State cut;
    if (may_swallow(statement)) cut = state;
    block(statement.body, state);
    if (binds(span_of(statement.body))) cut.weaken();
    state.merge(cut);
  }

  void match(const Match& statement, State& state) {
    evaluate(statement.subject, state);
    State out;
    bool exhausted = false;
    const State before = state;
    for (const MatchCase* match_case : statement.cases) {
      State chosen = before;
      chosen.each([](Path& path) {
        path.straight = false;
        return true;
      });
      guarded_by(match_case->span, [&] {
        if (binds(match_case->pattern->span)) chosen.bind();
        evaluate(match_case->guard, chosen);
        block(match_case->body, chosen);
      });
      if (binds(statement.span)) mark_skip(chosen, {&statement, UnboundUse::Skip::kBranch, match_case->span});
      out.merge(chosen);
      exhausted = exhausted || is_irrefutable(*match_case);
    }
    if (!exhausted) {
      State none = before;
      if (binds(statement.span)) none.weaken();
      out.merge(none);
    }
    state = std::move(out);
  }

  const NeverReturns& never_returns_;
  const MayRaise& may_raise_;
  bool is_parameter_ = false;
  std::vector<Loop*> loops_;
  std::vector<Attempt*> attempts_;
};

}  // namespace

void follow_variable(const FileFacts& facts, ScopeId scope, std::string_view name,
                     const std::vector<const Binding*>& bindings, const std::vector<const Name*>& loads,
                     const NeverReturns& never_returns, const MayRaise& may_raise, std::vector<UnboundUse>& uses) {
  Follower(facts, scope, name, bindings, loads, never_returns, may_raise, uses).run();
}

}  // namespace lockstep::rules
