#include "report/asked_parameters.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "report/story_code.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

bool is_constant(const Expr* expression, ConstantKind kind) {
  const auto* constant = as<Constant>(expression);
  return constant != nullptr && constant->constant_kind == kind;
}

bool is_none(const Expr* expression) { return is_constant(expression, ConstantKind::kNone); }
bool is_off(const Expr* expression) { return is_constant(expression, ConstantKind::kFalse) || is_none(expression); }

const Parameter* parameter_of(const FunctionDef* def, std::string_view name) {
  if (def == nullptr) return nullptr;
  for (const Parameter* parameter : def->parameters->all) {
    if (parameter->name.text == name) return parameter;
  }
  return nullptr;
}

/// Whether the function gives the name another value.
bool binds(const FunctionDef& def, std::string_view name) {
  bool found = false;
  const auto look = [&](const Expr* target) { found = found || rules::name_of(target) == name; };
  walk_statements(def, Nested::kSkip, [&](const Stmt* statement) {
    if (const auto* assign = as<Assign>(statement)) {
      for (const Expr* target : assign->targets) {
        look(target);
        if (const auto* tuple = as<Tuple>(target)) {
          for (const Expr* one : tuple->elements) look(one);
        }
      }
    }
    if (const auto* assign = as<AnnAssign>(statement)) look(assign->target);
    if (const auto* assign = as<AugAssign>(statement)) look(assign->target);
    if (const auto* each = as<For>(statement)) look(each->target);
  });
  walk_of<NamedExpr>(def, Nested::kSkip, [&](const NamedExpr* named) { look(named->target); });
  return found;
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
    const bool is_none_asked = compare->ops.size() == 1 && is_none(compare->comparators.front()) &&
                               compare->ops.front() == (negated ? CompareOperator::kIs : CompareOperator::kIsNot);
    if (!is_none_asked) return;
    parameter = parameter_of(&def, rules::name_of(compare->left));
    if (parameter == nullptr || !is_none(parameter->default_value)) return;
  } else if (is<Name>(&condition) && !negated) {
    parameter = parameter_of(&def, rules::name_of(&condition));
    if (parameter == nullptr || !is_off(parameter->default_value)) return;
  }
  if (parameter != nullptr && !binds(def, parameter->name.text)) out.push_back(parameter->name.text);
}

}  // namespace

const std::vector<std::string_view>& AskedParameters::of(program::CallId id) const {
  const auto [place, is_new] = known_.try_emplace(id.value);
  if (!is_new) return place->second;
  const program::CallSite& site = program_.calls()[id];
  const FunctionDef* def = program_.functions()[site.caller].def();
  const bool has_any = def != nullptr && site.node != nullptr &&
                       std::any_of(def->parameters->all.begin(), def->parameters->all.end(),
                                   [](const Parameter* one) { return is_off(one->default_value); });
  if (!has_any) return place->second;
  for (const Guard& guard : guards_of(*def, site.node->span)) {
    if (guard.condition != nullptr) add_asked(*guard.condition, guard.negated, *def, place->second);
  }
  return place->second;
}

bool AskedParameters::may_give(program::CallId id, FunctionId callee, const std::vector<std::string_view>& asked,
                               std::vector<std::string_view>& forwarded) const {
  const program::CallSite& site = program_.calls()[id];
  const auto* call = as<Call>(site.node);
  const FunctionDef* def = program_.functions()[callee].def();
  const bool is_direct = std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
    return target.function == callee && target.kind != program::CallKind::kCallback;
  });
  if (call == nullptr || def == nullptr || !is_direct || rules::has_spread_arguments(*call) ||
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
    const Parameter* passed = parameter_of(caller, rules::name_of(value));
    if (passed != nullptr && is_off(passed->default_value) && !binds(*caller, passed->name.text))
      forwarded.push_back(passed->name.text);
  }
  return true;
}

}  // namespace lockstep::report
