#include "report/ways/functions/given_functions.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/ways/conditions/passed_on.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::CallId;
using program::FunctionId;

namespace {

bool is_inside(const program::Program& program, FunctionId function, FunctionId outer) {
  for (; function.valid(); function = program.functions()[function].enclosing) {
    if (function == outer) return true;
  }
  return false;
}

}  // namespace

/// What the name stands for where `at` reads it: the only function of that name that it or a function around it
/// defines, a global one, or a parameter that nothing else is bound to.
GivenFunctions::Source GivenFunctions::source_of_name(FunctionId at, const Name& name) const {
  for (FunctionId around = at; around.valid(); around = program_.functions()[around].enclosing) {
    const FunctionDef* def = program_.functions()[around].def();
    if (def == nullptr) break;
    const std::size_t bound = rules::bindings_of(*def, name.id, Nested::kEnter);
    if (rules::parameter_named(def, name.id) != nullptr)
      return bound == 0 ? Source{{}, around, rules::parameter_named(def, name.id)->name.text} : Source{};
    FunctionId inner;
    walk_statements(*def, Nested::kSkip, [&](const Stmt* statement) {
      const auto* one = as<FunctionDef>(statement);
      if (one != nullptr && one->name.text == name.id && one->decorators.empty()) inner = program_.function_of(one);
    });
    if (inner.valid()) return bound == 1 ? Source{inner, {}, {}} : Source{};
    if (bound > 0) return {};
  }
  const program::Reference global = program_.resolve(at, name);
  if (global.kind != program::Reference::Kind::kFunction) return {};
  const FunctionDef* def = program_.functions()[global.function].def();
  return def != nullptr && def->decorators.empty() ? Source{global.function, {}, {}} : Source{};
}

/// The same of an expression; `partial(f, …)` enters `f`.
GivenFunctions::Source GivenFunctions::source_of(FunctionId at, const Expr& value, int depth) const {
  constexpr int kMostDepth = 3;
  if (const auto* name = as<Name>(&value)) return source_of_name(at, *name);
  const auto* call = as<Call>(&value);
  const bool is_partial = call != nullptr && callee_name(*call) == "partial" && !call->arguments.empty();
  return is_partial && depth < kMostDepth ? source_of(at, *call->arguments[0], depth + 1) : Source{};
}

std::optional<HeldFunction> GivenFunctions::asked_by(CallId id, FunctionId callee) {
  const program::CallSite& site = program_.calls()[id];
  const auto* call = as<Call>(site.node);
  const auto* name = call == nullptr ? nullptr : as<Name>(call->callee);
  if (name == nullptr || site.targets.size() < 2) return std::nullopt;
  const program::FunctionId named = callee;
  const program::Function& function = program_.functions()[named];
  // Methods and objects that are called have no name that says so where they are given.
  if (function.owner.valid() || function.kind != program::FunctionKind::kFunction) return std::nullopt;
  const auto [known, is_new] = called_.try_emplace(id.value);
  if (is_new) known->second = source_of_name(site.caller, *name);
  if (!known->second.owner.valid()) return std::nullopt;
  return HeldFunction{known->second.owner, known->second.parameter, callee};
}

/// The function whose `**kwargs` the call hands on as they are, if it does: what has that name is given to it by the
/// same name.
FunctionId GivenFunctions::handing_on(FunctionId caller, const Call& call, std::string_view name) const {
  const FunctionDef* def = program_.functions()[caller].def();
  // A parameter of that name takes the value before `**kwargs` does.
  if (def == nullptr || rules::parameter_named(def, name) != nullptr) return {};
  const bool hands_on = std::any_of(call.keywords.begin(), call.keywords.end(), [&](const Keyword* one) {
    const Parameter* own = one->name.text.empty() ? rules::parameter_named(def, rules::name_of(one->value)) : nullptr;
    std::vector<std::string_view> set;
    return own != nullptr && own->parameter_kind == Parameter::Kind::kVarKeywords &&
           is_only_passed_on(*def, own->name.text, false, set) && std::find(set.begin(), set.end(), name) == set.end();
  });
  return hands_on ? caller : FunctionId();
}

GivenFunctions::Source GivenFunctions::given_by(CallId entering, FunctionId callee, std::string_view parameter) const {
  const program::CallSite& site = program_.calls()[entering];
  const auto* call = as<Call>(site.node);
  const auto target = std::find_if(site.targets.begin(), site.targets.end(),
                                   [&](const program::CallTarget& one) { return one.function == callee; });
  if (call == nullptr || target == site.targets.end() || target->kind != program::CallKind::kDirect) return {};
  // What is given by its name goes to the parameter whatever else a variable that holds the function has bound.
  const Expr* value = rules::keyword_value(*call, parameter);
  if (value == nullptr) {
    const auto signature = signatures_.of_target(site, *target);
    value = signature ? rules::given_to(*signature, *call, parameter).value : nullptr;
  }
  if (value != nullptr) return source_of(site.caller, *value, 0);
  const FunctionId handing = handing_on(site.caller, *call, parameter);
  return handing.valid() ? Source{{}, handing, parameter} : Source{};
}

GivenFunctions::Answer GivenFunctions::across(CallId entering, FunctionId callee, const HeldFunction& asked) {
  const FunctionId caller = program_.calls()[entering].caller;
  // What stands inside a function reads its parameters as they are, wherever it is called from there.
  if (callee != asked.owner)
    return {true, is_inside(program_, caller, asked.owner) ? std::optional(asked) : std::nullopt};
  const auto [known, is_new] = given_.try_emplace({entering.value, callee.value, asked.parameter});
  if (is_new) known->second = given_by(entering, callee, asked.parameter);
  const Source& source = known->second;
  if (source.function.valid()) return {source.function == asked.function, std::nullopt};
  if (!source.owner.valid()) return {};
  return {true, HeldFunction{source.owner, source.parameter, asked.function}};
}

}  // namespace lockstep::report
