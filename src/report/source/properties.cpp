#include "report/source/properties.h"

#include <algorithm>

#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

bool is_setter(const FunctionDef& definition) {
  return std::any_of(definition.decorators.begin(), definition.decorators.end(), [&](const Expr* one) {
    const auto* attribute = as<Attribute>(one);
    return attribute != nullptr && attribute->name.text == "setter" &&
           rules::name_of(attribute->value) == definition.name.text;
  });
}

Property property_of(const program::Class& cls, std::string_view name) {
  Property out;
  if (cls.node == nullptr) return out;
  for (const Stmt* statement : cls.node->body) {
    const auto* definition = as<FunctionDef>(statement);
    if (definition == nullptr || definition->name.text != name) continue;
    if (is_setter(*definition)) {
      out.setter = definition;
    } else if (std::any_of(definition->decorators.begin(), definition->decorators.end(),
                           [](const Expr* one) { return rules::name_of(one) == "property"; })) {
      out.getter = definition;
    }
  }
  return out;
}

std::string_view attribute_given_by(const FunctionDef& getter) {
  const Stmt* only = nullptr;
  for (const Stmt* statement : getter.body) {
    const auto* alone = as<ExprStmt>(statement);
    if (alone != nullptr && !rules::text_of(alone->value).empty()) continue;  // The docstring.
    if (only != nullptr) return {};
    only = statement;
  }
  const auto* returned = as<Return>(only);
  return returned == nullptr || returned->value == nullptr ? std::string_view()
                                                           : rules::self_attribute(returned->value);
}

}  // namespace lockstep::report
