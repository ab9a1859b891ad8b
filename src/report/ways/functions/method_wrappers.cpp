#include "report/ways/functions/method_wrappers.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/flow.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

/// The variable of `variable.name`; empty for anything else.
std::string_view holder_of(const Expr* expression, std::string_view name) {
  const auto* attribute = as<Attribute>(expression);
  return attribute != nullptr && attribute->name.text == name ? rules::name_of(attribute->value) : std::string_view();
}

/// `function`, `function.__get__(…)` or `MethodType(function, …)`.
bool is_bound_form(const Expr* value, std::string_view function) {
  if (rules::name_of(value) == function) return true;
  const auto* call = as<Call>(value);
  if (call == nullptr) return false;
  if (holder_of(call->callee, "__get__") == function) return true;
  return callee_name(*call) == "MethodType" && !call->arguments.empty() &&
         rules::name_of(call->arguments.front()) == function;
}

/// The variables that the body calls whatever happens: in statements of its own block, before any that may return or
/// raises.
std::vector<std::string_view> surely_called(const FunctionDef& def) {
  std::vector<std::string_view> out;
  for (const Stmt* statement : def.body) {
    const bool is_simple = is<Assign>(statement) || is<ExprStmt>(statement) || is<Return>(statement);
    bool leaves = rules::ends_block(*statement);
    if (is_simple) {
      walk_expressions(*statement, Nested::kSkip, [&](const Expr* expression) {
        // What these hold may never be asked for, or for several things.
        if (is<IfExp>(expression) || is<BoolOp>(expression) || is<ListComp>(expression) || is<SetComp>(expression) ||
            is<DictComp>(expression) || is<GeneratorExp>(expression) || is<Compare>(expression))
          return false;
        const auto* call = as<Call>(expression);
        if (call != nullptr && is<Name>(call->callee)) out.push_back(rules::name_of(call->callee));
        return true;
      });
    }
    walk_statements(*statement, Nested::kSkip, [&](const Stmt* inner) { leaves = leaves || is<Return>(inner); });
    if (leaves) break;
  }
  return out;
}

bool is_generator(const FunctionDef& def) {
  bool found = def.is_async;
  walk_expressions(def, Nested::kSkip, [&](const Expr* expression) {
    found = found || is<Yield>(expression) || is<YieldFrom>(expression) || is<Await>(expression);
  });
  return found;
}

}  // namespace

bool MethodWrappers::surely_enters(const program::CallSite& site, FunctionId callee) const {
  const auto target = std::find_if(site.targets.begin(), site.targets.end(),
                                   [&](const program::CallTarget& one) { return one.function == callee; });
  if (target == site.targets.end() || target->certainty == program::Certainty::kByName) return false;
  if (target->certainty == program::Certainty::kExact) return true;
  const auto* call = as<Call>(site.node);
  const std::string_view name = program_.functions()[callee].name;
  const auto* attribute = call == nullptr ? nullptr : as<Attribute>(call->callee);
  const bool is_of_method =
      target->kind == program::CallKind::kModuleCall ||
      (target->kind == program::CallKind::kDirect && attribute != nullptr && attribute->name.text == name);
  if (!is_of_method || !program_.functions()[callee].owner.valid()) return false;
  return std::all_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& one) {
    return one.function == callee || (one.function.valid() && calls_replaced(one.function, name));
  });
}

bool MethodWrappers::calls_replaced(FunctionId function, std::string_view name) const {
  const auto [place, is_new] = known_.try_emplace({function.value, name}, false);
  if (is_new) place->second = find_replaced(function, name);
  return place->second;
}

bool MethodWrappers::find_replaced(FunctionId function, std::string_view name) const {
  const FunctionId enclosing = program_.functions()[function].enclosing;
  const FunctionDef* own = program_.functions()[function].def();
  const FunctionDef* outer = enclosing.valid() ? program_.functions()[enclosing].def() : nullptr;
  if (own == nullptr || outer == nullptr || program_.functions()[function].owner.valid() || is_generator(*own))
    return false;
  for (const Expr* decorator : own->decorators) {
    const auto* call = as<Call>(decorator);
    if (call == nullptr || callee_name(*call) != "wraps") return false;
  }
  // `holder.name = function`, the only place that takes it up.
  std::string_view holder;
  std::size_t stores = 0;
  std::size_t uses = 0;
  walk_statements(*outer, Nested::kSkip, [&](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    if (assign == nullptr || assign->targets.size() != 1 || !is_bound_form(assign->value, own->name.text)) return;
    holder = holder_of(assign->targets[0], name);
    ++stores;
  });
  walk_of<Name>(*outer, Nested::kEnter, [&](const Name* one) { uses += one->id == own->name.text ? 1 : 0; });
  if (stores != 1 || uses != 1 || rules::parameter_named(outer, holder) == nullptr || rules::binds_name(*outer, holder))
    return false;
  // `previous = holder.name`, and nothing else.
  const std::vector<std::string_view> called = surely_called(*own);
  return std::any_of(called.begin(), called.end(), [&](std::string_view previous) {
    if (rules::parameter_named(own, previous) != nullptr || rules::binds_name(*own, previous) ||
        rules::parameter_named(outer, previous) != nullptr)
      return false;
    std::size_t bound = 0;
    std::size_t read = 0;
    walk_of<Name>(*outer, Nested::kEnter,
                  [&](const Name* one) { bound += one->id == previous && one->context != ExprContext::kLoad ? 1 : 0; });
    walk_statements(*outer, Nested::kSkip, [&](const Stmt* statement) {
      const auto* assign = as<Assign>(statement);
      if (assign != nullptr && assign->targets.size() == 1 && rules::name_of(assign->targets[0]) == previous)
        read += holder_of(assign->value, name) == holder ? 1 : 0;
    });
    return bound == 1 && read == 1;
  });
}

}  // namespace lockstep::report
