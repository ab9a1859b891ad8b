#include "report/ways/functions/chosen_values.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "report/ways/objects/ill_fitting_calls.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

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

/// A value that something may be, and the conditions around where it gets it.
struct Alternative {
  const Expr* value;
  std::vector<Guard> guards;
};

/// What the function returns, and under which conditions. Nothing where it yields.
std::vector<Alternative> returned_by(const FunctionDef& def) {
  std::vector<Alternative> out;
  bool yields = false;
  walk(def, Nested::kSkip, [&](const Node* node) {
    yields = yields || is<Yield>(node) || is<YieldFrom>(node);
    return true;
  });
  walk_statements(def, Nested::kSkip, [&](const Stmt* statement) {
    if (const auto* back = as<Return>(statement); back != nullptr && back->value != nullptr)
      out.push_back({back->value, guards_of(def, back->span)});
  });
  return yields ? std::vector<Alternative>() : out;
}

/// What the assignments to a local give it, each under its conditions; nothing where anything else binds it.
std::vector<Alternative> held_by(const FunctionDef& def, std::string_view local) {
  std::vector<Alternative> out;
  walk_statements(def, Nested::kSkip, [&](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    if (assign != nullptr && assign->targets.size() == 1 && rules::name_of(assign->targets[0]) == local)
      out.push_back({assign->value, guards_of(def, assign->span)});
  });
  return out.size() == rules::bindings_of(def, local, Nested::kEnter) ? out : std::vector<Alternative>();
}

/// The conditions of the one alternative that may bring an object on which `callee` runs, where all others surely bring
/// objects of other classes.
std::vector<Guard> guards_of_one(const program::Program& program, program::FunctionId function,
                                 const std::vector<Alternative>& alternatives, program::FunctionId callee) {
  const Alternative* bringing = nullptr;
  for (const Alternative& one : alternatives) {
    if (rules::is_none(one.value)) continue;
    const auto& classes = program.instance_classes(function, *one.value);
    const bool brings = std::any_of(classes.begin(), classes.end(), [&](program::ClassId cls) {
      return program.find_method(cls, program.functions()[callee].name) == callee;
    });
    if (classes.empty() || (brings && bringing != nullptr)) return {};
    if (brings) bringing = &one;
  }
  if (bringing == nullptr || alternatives.size() < 2) return {};
  std::vector<Guard> out = bringing->guards;
  std::erase_if(out, [](const Guard& guard) { return guard.condition == nullptr || !is<If>(guard.statement); });
  return out;
}

/// What the local that a method is called on may hold, and in which function that stands.
struct Held {
  program::FunctionId function;
  std::vector<Alternative> alternatives;
};

Held held_by_receiver(const program::Program& program, const program::CallSite& site, program::FunctionId callee) {
  const auto* call = as<Call>(site.node);
  const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
  const FunctionDef* caller = program.functions()[site.caller].def();
  const std::string_view local = method == nullptr ? std::string_view() : rules::name_of(method->value);
  if (local.empty() || caller == nullptr || !program.functions()[callee].owner.valid() ||
      rules::parameter_named(caller, local) != nullptr)
    return {};
  std::vector<Alternative> held = held_by(*caller, local);
  if (held.size() != 1) return {site.caller, std::move(held)};
  const program::CallId making = program.call_of(held.front().value);
  if (!making.valid() || program.calls()[making].targets.size() != 1) return {};
  const program::CallTarget& target = program.calls()[making].targets.front();
  if (!target.function.valid()) return {};
  if (target.kind == program::CallKind::kConstructor) return {site.caller, std::move(held)};
  const FunctionDef* def = program.functions()[target.function].def();
  if (def == nullptr || program.functions()[target.function].owner.valid() ||
      program.functions()[target.function].module != program.functions()[site.caller].module)
    return {};
  return {target.function, returned_by(*def)};
}

}  // namespace

std::vector<Guard> guards_of_receiver(const program::Program& program, const program::CallSite& site,
                                      program::FunctionId callee) {
  const Held held = held_by_receiver(program, site, callee);
  return held.function.valid() ? guards_of_one(program, held.function, held.alternatives, callee)
                               : std::vector<Guard>();
}

bool is_receiver_refused(const program::Program& program, const program::CallSite& site, program::FunctionId callee) {
  const Held held = held_by_receiver(program, site, callee);
  if (!held.function.valid()) return false;
  bool is_brought = false;
  for (const Alternative& one : held.alternatives) {
    if (rules::is_none(one.value)) continue;
    const auto& classes = program.instance_classes(held.function, *one.value);
    if (classes.empty()) return false;
    const bool brings = std::any_of(classes.begin(), classes.end(), [&](program::ClassId cls) {
      return program.find_method(cls, program.functions()[callee].name) == callee;
    });
    if (!brings) continue;
    const program::CallId making = program.call_of(one.value);
    if (!making.valid() || !makes_nothing(program, program.calls()[making])) return false;
    is_brought = true;
  }
  return is_brought;
}

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
                          held.kind == program::Reference::Kind::kClass ||
                          held.kind == program::Reference::Kind::kExternal;  // A library's is none of ours.
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
