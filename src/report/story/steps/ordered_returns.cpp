#include "report/story/steps/ordered_returns.h"

#include <algorithm>
#include <string>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kFewest = 3;
constexpr std::size_t kFewestCalled = 2;
constexpr std::size_t kFewestEdits = 2;
constexpr std::size_t kMostRows = 9;

bool leaves(const Stmt& statement) { return is<Return>(&statement) || is<Raise>(&statement); }

/// Whether a value is returned, or something yielded, anywhere in a statement.
bool returns_within(const Stmt& statement) {
  bool found = false;
  const auto look = [&](const Node* node) {
    found = found || is<Return>(node) || is<Yield>(node) || is<YieldFrom>(node);
  };
  look(&statement);
  walk(statement, Nested::kSkip, look);
  return found;
}

/// Fills the way out that `body` ends in; false where it does not, or has other ways out.
bool fill(OrderedReturn& out, Seq<Stmt> body) {
  if (body.empty() || !leaves(*body.back())) return false;
  const auto* back = as<Return>(body.back());
  out.act.statement = body.back();
  out.act.kind = back != nullptr ? ActKind::kReturns : ActKind::kRaises;
  out.act.value = back != nullptr ? back->value : as<Raise>(body.back())->exception;
  for (std::size_t i = 0; i + 1 < body.size(); ++i) {
    const Stmt& statement = *body[i];
    if (returns_within(statement)) return false;
    const Expr* dropped = thrown_away_by(statement);
    if (is<Pass>(&statement) || is<Assert>(&statement)) continue;
    if (dropped != nullptr && (is<Constant>(dropped) || rules::is_log_call(dropped))) continue;
    const auto* awaited = as<Await>(dropped);
    const auto* call = as<Call>(awaited != nullptr ? awaited->value : dropped);
    out.does_more = out.does_more || call == nullptr || out.first != nullptr || dotted_text(call->callee).empty();
    out.first = call;
  }
  if (out.does_more) out.first = nullptr;
  return true;
}

/// The ways out of a body; empty where they cannot be told exactly.
std::vector<OrderedReturn> ways_out(Seq<Stmt> body) {
  std::vector<OrderedReturn> out;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (leaves(*body[i])) {
      OrderedReturn last;
      if (!fill(last, body.subspan(i, 1))) return {};
      out.push_back(std::move(last));
      return out;
    }
    const auto* branch = as<If>(body[i]);
    if (branch == nullptr || !returns_within(*branch)) {
      if (returns_within(*body[i])) return {};
      // A refusal among them is one of them.
      if (branch == nullptr || branch->body.empty() || !is<Raise>(branch->body.back()) || !branch->orelse.empty())
        continue;
    }
    // `if`, `elif`, …: each must leave; an `else` that leaves is the last of all.
    while (branch != nullptr) {
      OrderedReturn one;
      one.condition = branch->condition;
      one.branch = branch;
      if (!fill(one, branch->body)) return {};
      out.push_back(std::move(one));
      if (branch->orelse.empty()) break;
      const auto* next = branch->orelse.size() == 1 ? as<If>(branch->orelse.front()) : nullptr;
      if (next == nullptr) {
        OrderedReturn last;
        if (i + 1 != body.size() || !fill(last, branch->orelse)) return {};
        out.push_back(std::move(last));
        return out;
      }
      branch = next;
    }
  }
  return {};  // It may fall off its end.
}

std::string act_text(const OrderedReturn& one, const SourceText& source) {
  return one.act.value == nullptr ? std::string() : one_line_whole(source, *one.act.value);
}

std::string condition_text(const OrderedReturn& one, const SourceText& source) {
  return one.condition == nullptr ? std::string() : one_line_whole(source, *one.condition);
}

std::string callee_text(const OrderedReturn& one) {
  const Call* call = one.act.call();
  return call == nullptr ? std::string() : dotted_text(call->callee);
}

/// Pairs the ways out of the two sides: the same act first, then the same condition, then the same callee.
void pair_up(OrderedReturns& both, const SourceText& before_source, const SourceText& after_source) {
  const auto pair_where = [&](const auto& fits) {
    for (std::size_t a = 0; a < both.after.size(); ++a) {
      for (std::size_t b = 0; b < both.before.size() && both.after[a].partner == OrderedReturn::kNone; ++b) {
        if (both.before[b].partner != OrderedReturn::kNone || both.before[b].act.kind != both.after[a].act.kind ||
            !fits(both.before[b], both.after[a]))
          continue;
        both.before[b].partner = a;
        both.after[a].partner = b;
      }
    }
  };
  const auto same_condition = [&](const OrderedReturn& b, const OrderedReturn& a) {
    return condition_text(b, before_source) == condition_text(a, after_source);
  };
  const auto same_act = [&](const OrderedReturn& b, const OrderedReturn& a) {
    return act_text(b, before_source) == act_text(a, after_source);
  };
  pair_where([&](const auto& b, const auto& a) { return same_condition(b, a) && same_act(b, a); });
  pair_where(same_act);
  pair_where([&](const auto& b, const auto& a) { return a.condition != nullptr && same_condition(b, a); });
  pair_where([&](const auto& b, const auto& a) { return !callee_text(a).empty() && callee_text(b) == callee_text(a); });
}

/// The steps of the ways out, with all that is said with them.
void add_told(const std::vector<OrderedReturn>& all, const std::vector<Step>& steps, std::set<std::size_t>& out) {
  for (const OrderedReturn& one : all) {
    const std::size_t head = step_of(steps, one.branch != nullptr ? static_cast<const Node*>(one.branch)
                                                                  : static_cast<const Node*>(one.act.statement));
    if (head == Step::kNone) continue;
    out.insert(head);
    const std::size_t own = step_of(steps, one.act.statement);
    if (own != Step::kNone) out.insert(own);
    for (std::size_t i = head + 1; !one.does_more && one.branch != nullptr && i < end_of(steps, head); ++i) {
      if (steps[i].parent == head) out.insert(i);
    }
  }
}

}  // namespace

bool OrderedReturns::stays(const Actor& actor, std::size_t index) const {
  const OrderedReturn& is = after[index];
  if (is.partner == OrderedReturn::kNone) return false;
  const OrderedReturn& was = before[is.partner];
  const SourceText& before_source = *actor.steps.before_source;
  const SourceText& after_source = *actor.steps.after_source;
  return condition_text(was, before_source) == condition_text(is, after_source) &&
         act_text(was, before_source) == act_text(is, after_source);
}

std::optional<OrderedReturns> ordered_returns(const program::Program& after, const Actor& actor) {
  if (!actor.is_function() || actor.steps.before_source == nullptr || actor.steps.after_source == nullptr ||
      !actor.change->before || !actor.change->after)
    return std::nullopt;
  const auto* was = as<FunctionDef>(actor.change->before->node);
  const auto* is = as<FunctionDef>(actor.change->after->node);
  if (was == nullptr || is == nullptr) return std::nullopt;
  OrderedReturns out{ways_out(was->body), ways_out(is->body)};
  if (out.before.empty() || out.after.size() < kFewest) return std::nullopt;
  std::set<program::FunctionId> called;
  for (const OrderedReturn& one : out.after) {
    const Call* call = one.act.kind == ActKind::kReturns ? one.act.call() : nullptr;
    const auto callees = call == nullptr ? std::vector<program::FunctionId>() : callees_of(after, call);
    if (callees.size() == 1) called.insert(callees.front());
  }
  if (called.size() < kFewestCalled) return std::nullopt;
  pair_up(out, *actor.steps.before_source, *actor.steps.after_source);
  std::size_t edits = 0;
  for (std::size_t i = 0; i < out.after.size(); ++i) edits += out.stays(actor, i) ? 0 : 1;
  const auto gone = std::count_if(out.before.begin(), out.before.end(),
                                  [](const OrderedReturn& one) { return one.partner == OrderedReturn::kNone; });
  edits += static_cast<std::size_t>(gone);
  const bool is_short = out.after.size() + static_cast<std::size_t>(gone) <= kMostRows;
  if (edits < kFewestEdits || !is_short || !changed_chains(actor).empty()) return std::nullopt;
  add_told(out.before, actor.steps.before, out.told_before);
  add_told(out.after, actor.steps.after, out.told_after);
  return out;
}

}  // namespace lockstep::report
