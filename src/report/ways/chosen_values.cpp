#include "report/ways/chosen_values.h"

#include "python/tree_walk.h"
#include "rules/bindings.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// One value that a local may be given.
struct Choice {
  const Expr* value;
  const Assign* assign;
  std::vector<Guard> guards;  ///< Of `a if x else b`, inside the assignment.
};

void take_apart(const Expr& value, const Assign& assign, std::vector<Guard> guards, std::vector<Choice>& out) {
  const auto* either = as<IfExp>(&value);
  if (either == nullptr) {
    out.push_back({&value, &assign, std::move(guards)});
    return;
  }
  for (const bool negated : {false, true}) {
    guards.push_back({&assign, either->condition, negated});
    take_apart(negated ? *either->orelse : *either->body, assign, guards, out);
    guards.pop_back();
  }
}

/// Whether a call of what is held enters the function: itself, or as the constructor of the class.
bool enters(const program::Program& program, const program::Reference& held, program::FunctionId callee) {
  if (held.function.valid()) return held.function == callee;
  if (!held.cls.valid()) return false;
  return program.find_method(held.cls, "__init__") == callee || program.find_method(held.cls, "__new__") == callee;
}

}  // namespace

std::vector<Guard> guards_of_choice(const program::Program& program, const program::CallSite& site,
                                    program::FunctionId callee) {
  const auto* call = as<Call>(site.node);
  const auto* local = call == nullptr ? nullptr : as<Name>(call->callee);
  const FunctionDef* caller = program.functions()[site.caller].def();
  if (local == nullptr || caller == nullptr || rules::parameter_named(caller, local->id) != nullptr) return {};
  std::size_t bound = 0;
  walk_of<Name>(*caller, Nested::kEnter, [&](const Name* name) {
    bound += name->id == local->id && name->context != ExprContext::kLoad ? 1 : 0;
  });
  std::vector<Choice> choices;
  walk_statements(*caller, Nested::kSkip, [&](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    if (assign == nullptr || assign->targets.size() != 1 || rules::name_of(assign->targets[0]) != local->id) return;
    --bound;
    take_apart(*assign->value, *assign, {}, choices);
  });
  if (bound != 0 || choices.size() < 2) return {};
  const Choice* giving = nullptr;
  for (const Choice& choice : choices) {
    const program::Reference held = program.resolve(site.caller, *choice.value);
    const bool is_known = rules::is_none(choice.value) || held.kind == program::Reference::Kind::kFunction ||
                          held.kind == program::Reference::Kind::kClass;
    const bool is_it = enters(program, held, callee);
    if (!is_known || (is_it && giving != nullptr)) return {};
    if (is_it) giving = &choice;
  }
  if (giving == nullptr || giving->assign->span.begin > call->span.begin) return {};
  std::vector<Guard> out;
  for (const Guard& guard : guards_of(*caller, giving->assign->span)) {
    if (guard.condition != nullptr && is<If>(guard.statement)) out.push_back(guard);
  }
  out.insert(out.end(), giving->guards.begin(), giving->guards.end());
  return out;
}

}  // namespace lockstep::report
