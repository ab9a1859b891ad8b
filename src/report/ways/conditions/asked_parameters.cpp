#include "report/ways/conditions/asked_parameters.h"

#include <algorithm>

#include "base/strings.h"
#include "report/source/code.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

bool is_off(const Expr* expression) { return rules::is_false(expression) || rules::is_none(expression); }

/// Whether the file can make partials: the word may stand in its comments.
bool imports_partial(const program::Module& module) {
  const auto& imports = module.facts->imports;
  return contains(module.facts->source().bytes(), "partial") &&
         std::any_of(imports.begin(), imports.end(), [](const ImportedName& one) {
           return one.name.starts_with("partial") || one.name == "*" || one.module == "functools" ||
                  (one.name.empty() && one.bound_as == "functools");
         });
}

/// Parameters that the condition wants to be given.
void add_asked(const Expr& condition, bool negated, const FunctionDef& def, std::vector<std::string_view>& out) {
  if (const auto* unary = as<UnaryOp>(&condition); unary != nullptr && unary->op == UnaryOperator::kNot)
    return add_asked(*unary->operand, !negated, def, out);
  if (const auto* both = as<BoolOp>(&condition)) {
    if ((both->op == BoolOperator::kAnd) == negated) return;
    for (const Expr* value : both->values) add_asked(*value, negated, def, out);
    return;
  }
  const Parameter* parameter = nullptr;
  if (const auto* compare = as<Compare>(&condition)) {
    const bool is_none_asked = compare->ops.size() == 1 && rules::is_none(compare->comparators.front()) &&
                               compare->ops.front() == (negated ? CompareOperator::kIs : CompareOperator::kIsNot);
    if (!is_none_asked) return;
    parameter = rules::parameter_named(&def, rules::name_of(compare->left));
    if (parameter == nullptr || !rules::is_none(parameter->default_value)) return;
  } else if (is<Name>(&condition) && !negated) {
    parameter = rules::parameter_named(&def, rules::name_of(&condition));
    if (parameter == nullptr || !is_off(parameter->default_value)) return;
  }
  if (parameter != nullptr && !rules::binds_name(def, parameter->name.text)) out.push_back(parameter->name.text);
}

}  // namespace

std::vector<std::string_view> parameters_wanted_at(const FunctionDef& function, Span place) {
  std::vector<std::string_view> out;
  for (const Guard& guard : guards_of(function, place)) {
    if (guard.condition != nullptr) add_asked(*guard.condition, guard.negated, function, out);
  }
  return out;
}

const std::vector<std::string_view>& AskedParameters::of(program::CallId id) const {
  const auto [place, is_new] = known_.try_emplace(id.value);
  if (!is_new) return place->second;
  const program::CallSite& site = program_.calls()[id];
  const FunctionDef* def = program_.functions()[site.caller].def();
  const bool has_any = def != nullptr && site.node != nullptr &&
                       std::any_of(def->parameters->all.begin(), def->parameters->all.end(),
                                   [](const Parameter* one) { return is_off(one->default_value); });
  if (has_any) place->second = parameters_wanted_at(*def, site.node->span);
  return place->second;
}

/// Whether the callee is a name that the file imports, and elsewhere binds to nothing but None:
/// `try: from lib import f`, `except ImportError: f = None`.
bool AskedParameters::imports_or_none(const program::CallSite& site, const Expr& callee) const {
  const auto* name = as<Name>(&callee);
  const FunctionDef* def = program_.functions()[site.caller].def();
  if (name == nullptr || (def != nullptr && rules::parameter_named(def, name->id) != nullptr)) return false;
  bool is_imported = false;
  for (const Scope& scope : program_.module_of(site.caller).facts->scopes) {
    for (const Binding& binding : scope.bindings) {
      if (binding.name != name->id) continue;
      const auto* assign = as<Assign>(binding.owner);
      if (binding.kind != BindingKind::kImport && (assign == nullptr || !rules::is_none(assign->value))) return false;
      is_imported = is_imported || binding.kind == BindingKind::kImport;
    }
  }
  return is_imported;
}

/// Whether what the call writes is all that the function is given: not where a partial of it is called, which has more.
bool AskedParameters::passes_to(const program::CallSite& site, const Call& call, FunctionId callee) const {
  const auto target = std::find_if(site.targets.begin(), site.targets.end(),
                                   [&](const program::CallTarget& one) { return one.function == callee; });
  if (target == site.targets.end() || target->kind == program::CallKind::kCallback) return false;
  const program::Reference to = program_.resolve(site.caller, *call.callee);
  if (to.kind == program::Reference::Kind::kFunction) return to.function == callee;
  if (to.kind == program::Reference::Kind::kClass || imports_or_none(site, *call.callee)) return true;
  // A method of an object, an object that is called: a variable may hold a partial of either.
  const bool is_plain = target->kind != program::CallKind::kDirect ||
                        (is<Attribute>(call.callee) && callee_name(call) == program_.functions()[callee].name);
  return is_plain && !imports_partial(program_.module_of(site.caller));
}

bool AskedParameters::may_give(program::CallId id, FunctionId callee, const std::vector<std::string_view>& asked,
                               std::vector<std::string_view>& forwarded) const {
  const program::CallSite& site = program_.calls()[id];
  const auto* call = as<Call>(site.node);
  const FunctionDef* def = program_.functions()[callee].def();
  if (call == nullptr || def == nullptr || !passes_to(site, *call, callee) || rules::has_spread_arguments(*call) ||
      rules::has_spread_keywords(*call))
    return true;
  const FunctionDef* caller = program_.functions()[site.caller].def();
  for (const std::string_view name : asked) {
    const auto keyword = std::find_if(call->keywords.begin(), call->keywords.end(),
                                      [&](const Keyword* one) { return one->name.text == name; });
    if (keyword == call->keywords.end()) {
      const auto& all = def->parameters->all;
      const auto at =
          std::find_if(all.begin(), all.end(), [&](const Parameter* one) { return one->name.text == name; });
      const std::size_t own = program_.functions()[callee].owner.valid() ? 1 : 0;  // `self`, which is not written.
      if (at != all.end() && static_cast<std::size_t>(at - all.begin()) < call->arguments.size() + own) continue;
      return false;
    }
    const Expr* value = (*keyword)->value;
    if (is_off(value)) return false;
    const Parameter* passed = rules::parameter_named(caller, rules::name_of(value));
    if (passed != nullptr && is_off(passed->default_value) && !rules::binds_name(*caller, passed->name.text))
      forwarded.push_back(passed->name.text);
  }
  return true;
}

}  // namespace lockstep::report
