#include "rules/names/names.h"

#include <algorithm>

#include "python/tree_walk.h"

namespace lockstep::rules {

using namespace python;

ScopeNames::ScopeNames(const FileFacts& facts) : facts_(facts), scopes_(facts.scopes.size()) {
  for (std::size_t i = 0; i < facts.scopes.size(); ++i) {
    for (const Binding& binding : facts.scopes[ScopeId(i)].bindings) scopes_[i][binding.name].push_back(&binding);
  }
}

const std::vector<const Binding*>& ScopeNames::bindings(ScopeId scope, std::string_view name) const {
  static const std::vector<const Binding*> kNone;
  const auto& names = scopes_[scope.index()];
  const auto found = names.find(name);
  return found == names.end() ? kNone : found->second;
}

ScopeId ScopeNames::find(ScopeId from, std::string_view name) const {
  bool first = true;
  for (ScopeId at = from; at.valid(); at = facts_.scopes[at].parent) {
    const Scope& scope = facts_.scopes[at];
    const auto& globals = scope.global_names;
    if (std::find(globals.begin(), globals.end(), name) != globals.end()) {
      return bindings(ScopeId(0), name).empty() ? ScopeId() : ScopeId(0);
    }
    // A class scope is seen from its own body only (and from the comprehensions and type parameters directly in it,
    // which Python 3.12 and later allow).
    const bool visible = scope.kind != ScopeKind::kClass || first;
    if (visible && !bindings(at, name).empty()) return at;
    if (scope.kind != ScopeKind::kTypeParams && scope.kind != ScopeKind::kComprehension) first = false;
  }
  return {};
}

std::unordered_map<std::string_view, std::size_t> times_bound_in(const FileFacts& facts, const FunctionDef& function) {
  std::unordered_map<std::string_view, std::size_t> times;
  const auto scope = facts.scope_of_node.find(&function);
  if (scope == facts.scope_of_node.end()) return times;
  for (const Binding& binding : facts.scopes[scope->second].bindings) ++times[binding.name];
  return times;
}

bool has_postponed_annotations(const FileFacts& facts) {
  return std::any_of(facts.imports.begin(), facts.imports.end(), [](const ImportedName& import) {
    return import.module == "__future__" && import.name == "annotations";
  });
}

bool is_type_checking_test(const Expr& test) {
  if (const auto* name = as<Name>(&test)) return name->id == "TYPE_CHECKING";
  if (const auto* attribute = as<Attribute>(&test)) return attribute->name.text == "TYPE_CHECKING";
  if (const auto* both = as<BoolOp>(&test); both != nullptr && both->op == BoolOperator::kAnd) {
    return std::any_of(both->values.begin(), both->values.end(),
                       [](const Expr* e) { return is_type_checking_test(*e); });
  }
  return false;
}

bool is_constant_false(const Expr& test) {
  if (const auto* constant = as<Constant>(&test)) {
    return constant->constant_kind == ConstantKind::kFalse || constant->constant_kind == ConstantKind::kNone ||
           (constant->constant_kind == ConstantKind::kInt && constant->text == "0");
  }
  const auto* negation = as<UnaryOp>(&test);
  return negation != nullptr && negation->op == UnaryOperator::kNot && is_constant_true(*negation->operand);
}

bool is_constant_true(const Expr& test) {
  if (const auto* constant = as<Constant>(&test)) {
    return constant->constant_kind == ConstantKind::kTrue ||
           (constant->constant_kind == ConstantKind::kInt && constant->text != "0");
  }
  const auto* negation = as<UnaryOp>(&test);
  return negation != nullptr && negation->op == UnaryOperator::kNot && is_constant_false(*negation->operand);
}

bool has_dynamic_names(const FileFacts& facts) {
  const auto names_of = [](const Expr* callee) -> std::string_view {
    const auto* name = as<Name>(callee);
    return name == nullptr ? std::string_view{} : name->id;
  };
  const auto is_namespace = [&](const Expr* expression) {
    const auto* call = as<Call>(expression);
    return call != nullptr && (names_of(call->callee) == "globals" || names_of(call->callee) == "vars");
  };
  bool found = false;
  walk(facts.tree(), Nested::kEnter, [&](const Node* node) {
    if (const auto* call = as<Call>(node)) {
      found = found || names_of(call->callee) == "exec";
      const auto* method = as<Attribute>(call->callee);
      found = found || (method != nullptr && method->name.text == "update" && is_namespace(method->value));
    } else if (const auto* subscript = as<Subscript>(node)) {
      found = found || (subscript->context == ExprContext::kStore && is_namespace(subscript->value));
    }
    return !found;
  });
  return found;
}

bool replaces_modules(const FileFacts& facts) {
  bool found = false;
  walk_of<Attribute>(facts.tree(), Nested::kEnter, [&](const Attribute* attribute) {
    const auto* base = as<Name>(attribute->value);
    found = found || (attribute->name.text == "modules" && base != nullptr && base->id == "sys");
    return !found;
  });
  return found;
}

}  // namespace lockstep::rules
