#include "rules/names/computed_attributes.h"

#include <unordered_set>

#include "python/tree_walk.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;

const Expr* owner_of_table(const Expr* expression) {
  const auto* attribute = as<Attribute>(expression);
  if (attribute != nullptr && attribute->name.text == "__dict__") return attribute->value;
  const auto* call = as<Call>(expression);
  const bool asks = call != nullptr && name_of(call->callee) == "vars" && call->arguments.size() == 1;
  return asks ? call->arguments[0] : nullptr;
}

bool sets_computed_attributes(const Node& node, std::string_view name) {
  bool found = false;
  std::unordered_set<std::string_view> tables;
  const auto is_it = [&](const Expr* expression) {
    return name.empty() ? is<Name>(expression) && name_of(expression) != "self" : name_of(expression) == name;
  };
  const auto is_table = [&](const Expr* expression) {
    const Expr* owner = owner_of_table(expression);
    return tables.contains(name_of(expression)) || (owner != nullptr && is_it(owner));
  };
  walk_of<Assign>(node, Nested::kEnter, [&](const Assign* assign) {
    const std::string_view target = assign->targets.size() == 1 ? name_of(assign->targets[0]) : std::string_view();
    if (!target.empty() && is_table(assign->value)) tables.insert(target);
  });
  const auto changes = [](std::string_view method) {
    return method == "update" || method == "setdefault" || method == "__setitem__";
  };
  walk(node, Nested::kEnter, [&](const Node* each) {
    if (const auto* call = as<Call>(each)) {
      found = found || (name_of(call->callee) == "setattr" && call->arguments.size() == 3 &&
                        is_it(call->arguments[0]) && text_of(call->arguments[1]).empty());
    } else if (const auto* attribute = as<Attribute>(each)) {
      found = found || (is_table(attribute->value) && changes(attribute->name.text)) ||
              (attribute->context == ExprContext::kStore && is_table(attribute));
    } else if (const auto* part = as<Subscript>(each)) {
      found = found || (part->context == ExprContext::kStore && is_table(part->value));
    }
  });
  return found;
}

}  // namespace lockstep::rules
