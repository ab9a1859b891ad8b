#include "report/tests/receivers.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::CallSite;
using program::ClassId;
using program::FunctionId;

namespace {

/// The object that the call is made on: `x` of `x.f(…)`; null for others.
const Expr* receiver_of(const CallSite& site) {
  const auto* call = as<Call>(site.node);
  const auto* attribute = call == nullptr ? nullptr : as<Attribute>(call->callee);
  return attribute == nullptr ? nullptr : attribute->value;
}

bool is_super(const Expr& expression) {
  const auto* call = as<Call>(&expression);
  return call != nullptr && call->arguments.empty() && rules::name_of(call->callee) == "super";
}

/// The class of what a call makes: `C(…)`, `C.__new__(C)`, `object.__new__(C)`; none for other calls.
ClassId made_class(const program::Program& program, FunctionId function, const Call& call) {
  const auto* member = as<Attribute>(call.callee);
  const bool makes_bare = member != nullptr && member->name.text == "__new__" && !call.arguments.empty();
  const program::Reference to = program.resolve(function, makes_bare ? *call.arguments.front() : *call.callee);
  return to.kind == program::Reference::Kind::kClass ? to.cls : ClassId();
}

bool is_constructor(const CallSite& site, FunctionId callee) {
  return std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
    return target.function == callee && target.kind == program::CallKind::kConstructor;
  });
}

}  // namespace

std::string_view self_of(const program::Function& function) {
  const FunctionDef* def = function.def();
  if (def == nullptr || !function.owner.valid() || def->parameters->all.empty()) return {};
  for (const Expr* decorator : def->decorators) {
    const std::string_view name = rules::name_of(decorator);
    if (name == "staticmethod" || name == "classmethod") return {};
  }
  return def->parameters->all.front()->name.text;
}

ClassId Receivers::class_of_variable(FunctionId function, std::string_view name) const {
  const auto [place, is_new] = known_.try_emplace({function.value, name});
  if (is_new) place->second = find_class_of_variable(function, name);
  return place->second;
}

ClassId Receivers::find_class_of_variable(FunctionId function, std::string_view name) const {
  const FunctionDef* def = program_.functions()[function].def();
  if (def == nullptr) return {};
  std::size_t bindings = 0;
  std::size_t made = 0;
  ClassId found;
  walk(*def, Nested::kEnter, [&](const Node* node) {
    if (const auto* bound = as<Name>(node);
        bound != nullptr && bound->id == name && bound->context != ExprContext::kLoad)
      ++bindings;
    if (const auto* parameter = as<Parameter>(node); parameter != nullptr && parameter->name.text == name) ++bindings;
    const auto* assign = as<Assign>(node);
    const auto* call = assign == nullptr ? nullptr : as<Call>(assign->value);
    if (call == nullptr || assign->targets.size() != 1 || rules::name_of(assign->targets.front()) != name) return;
    const ClassId cls = made_class(program_, function, *call);
    if (!cls.valid() || (found.valid() && found != cls)) return;
    found = cls;
    ++made;
  });
  return bindings == made ? found : ClassId();
}

ClassId Receivers::class_of(const CallSite& site, FunctionId callee) const {
  const auto* call = as<Call>(site.node);
  if (call == nullptr) return {};
  if (is_constructor(site, callee)) {
    const program::Reference to = program_.resolve(site.caller, *call->callee);
    return to.kind == program::Reference::Kind::kClass ? to.cls : ClassId();
  }
  const Expr* receiver = receiver_of(site);
  if (const auto* made = as<Call>(receiver)) return made_class(program_, site.caller, *made);
  const std::string_view name = rules::name_of(receiver);
  return name.empty() ? ClassId() : class_of_variable(site.caller, name);
}

Receivers::Entry Receivers::entry_of(const CallSite& site, FunctionId callee) const {
  const program::Function& called = program_.functions()[callee];
  if (!called.owner.valid()) return Entry::kUnknown;
  if (is_constructor(site, callee)) return Entry::kMakes;
  const Expr* receiver = receiver_of(site);
  if (receiver == nullptr || callee_name(*as<Call>(site.node)) != called.name) return Entry::kUnknown;
  const std::string_view self = self_of(program_.functions()[site.caller]);
  if (is_super(*receiver)) return Entry::kSuper;
  if (!self.empty() && rules::name_of(receiver) == self) return Entry::kSame;
  const ClassId cls = class_of(site, callee);
  if (!cls.valid()) return Entry::kUnknown;
  const FunctionId entered = program_.find_method(cls, called.name);
  if (!entered.valid()) return Entry::kUnknown;
  return entered == callee ? Entry::kEnters : Entry::kOther;
}

bool Receivers::may_pass_by(const CallSite& site) const {
  const Expr* receiver = receiver_of(site);
  const FunctionDef* def = program_.functions()[site.caller].def();
  if (receiver == nullptr || def == nullptr || !is_super(*receiver)) return false;
  const std::vector<Guard> guards = guards_of(*def, site.node->span);
  return std::any_of(guards.begin(), guards.end(), [](const Guard& guard) {
    // What raises otherwise is no other way to go.
    const auto* branch = as<If>(guard.statement);
    const bool raises = branch != nullptr && guard.negated && !branch->body.empty() && is<Raise>(branch->body.back());
    return guard.condition != nullptr && !raises;
  });
}

bool Receivers::gives(const CallSite& site, FunctionId callee, const std::vector<FunctionId>& methods,
                      bool& is_known) const {
  const ClassId cls = class_of(site, callee);
  is_known = cls.valid();
  return is_known && std::all_of(methods.begin(), methods.end(), [&](FunctionId method) {
           return program_.find_method(cls, program_.functions()[method].name) == method;
         });
}

}  // namespace lockstep::report
