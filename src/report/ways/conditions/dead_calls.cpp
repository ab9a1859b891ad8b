#include "report/ways/conditions/dead_calls.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/names/names.h"
#include "rules/syntax/flow.h"

namespace lockstep::report {

using namespace python;

namespace {

bool holds(Seq<Stmt> block, Span place) {
  return !block.empty() && block.front()->span.begin <= place.begin && place.end <= block.back()->span.end;
}

}  // namespace

bool DeadCalls::contains(program::CallId call) const {
  signed char& known = known_[call.index()];
  if (known < 0) {
    const program::CallSite& site = program_.calls()[call];
    const Node* body = program_.functions()[site.caller].node;
    known = body != nullptr && site.node != nullptr && is_dead_in(body_of(body), site.node->span) ? 1 : 0;
  }
  return known == 1;
}

bool DeadCalls::is_dead_in(Seq<Stmt> block, Span place) const {
  for (const Stmt* statement : block) {
    if (statement->span.begin >= place.end) break;
    if (!statement->span.contains(place)) {
      if (statement->span.end <= place.begin && ends(*statement)) return true;
      continue;
    }
    if (const auto* branch = as<If>(statement)) {
      if (rules::is_constant_false(*branch->condition) && holds(branch->body, place)) return true;
      if (rules::is_constant_true(*branch->condition) && holds(branch->orelse, place)) return true;
    }
    bool is_dead = false;
    for_each_block(*statement,
                   [&](Seq<Stmt> inner) { is_dead = is_dead || (holds(inner, place) && is_dead_in(inner, place)); });
    return is_dead;
  }
  return false;
}

bool DeadCalls::ends(const Stmt& statement) const {
  if (rules::ends_block(statement)) return true;
  const auto* lone = as<ExprStmt>(&statement);
  const auto* made = lone == nullptr ? nullptr : as<Call>(lone->value);
  const program::CallId call = made == nullptr || !is<Name>(made->callee) ? program::CallId() : program_.call_of(made);
  if (!call.valid() || program_.calls()[call].targets.size() != 1) return false;
  const program::CallTarget& target = program_.calls()[call].targets.front();
  if (target.certainty != program::Certainty::kExact || target.kind != program::CallKind::kDirect ||
      !target.function.valid())
    return false;
  const FunctionDef* def = program_.functions()[target.function].def();
  if (def == nullptr || def->is_async || !def->decorators.empty() || !rules::always_raises(def->body)) return false;
  // One that stands under a condition stands for something that may be missing: `except ImportError: def f(): raise`.
  const Seq<Stmt> module = program_.module_of(target.function).facts->tree().body;
  return std::any_of(module.begin(), module.end(), [&](const Stmt* one) { return one == def; });
}

}  // namespace lockstep::report
