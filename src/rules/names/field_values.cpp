#include "rules/names/field_values.h"

#include <unordered_set>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;

namespace {

/// Calls `visit(attribute, value)` for each attribute below `node` that is given a value.
template <typename Visit>
void for_each_store(const Node& node, const Visit& visit) {
  std::unordered_set<const Node*> plain;
  const auto give = [&](const Expr* target, const Expr* value) {
    const auto* attribute = as<Attribute>(target);
    if (attribute != nullptr && plain.insert(attribute).second) visit(*attribute, value);
  };
  walk(node, Nested::kEnter, [&](const Node* each) {
    if (const auto* assign = as<Assign>(each)) {
      for (const Expr* target : assign->targets) give(target, assign->value);
    } else if (const auto* annotated = as<AnnAssign>(each)) {
      // `self.x: int` alone gives nothing.
      if (annotated->value != nullptr) give(annotated->target, annotated->value);
      plain.insert(annotated->target);
    } else if (const auto* attribute = as<Attribute>(each);
               attribute != nullptr && attribute->context == ExprContext::kStore) {
      give(attribute, nullptr);
    }
  });
}

}  // namespace

const std::vector<FieldValues::Given>& FieldValues::of(ClassId id, std::string_view name) {
  const auto [known, is_new] = by_class_.try_emplace(id);
  if (is_new) {
    const program::Class& cls = program_.classes()[id];
    const FunctionId body = program_.modules()[cls.module].body;
    for (const program::Field& field : cls.fields) {
      if (field.in_class_body && field.default_value != nullptr)
        known->second[field.name].push_back({body, field.default_value});
    }
    for (const FunctionId method : cls.methods) {
      for_each_store(*program_.functions()[method].node, [&](const Attribute& target, const Expr* value) {
        const std::string_view field = self_attribute(&target);
        if (!field.empty()) known->second[field].push_back({method, value});
      });
    }
  }
  return known->second[name];
}

const std::vector<FieldValues::Given>& FieldValues::from_outside(std::string_view name) {
  if (!from_outside_) {
    from_outside_.emplace();
    for (std::size_t i = 0; i < program_.modules().size(); ++i) {
      const program::Module& module = program_.modules()[ModuleId(i)];
      if (program::is_test_path(module.path)) continue;
      for_each_store(module.facts->tree(), [&](const Attribute& target, const Expr* value) {
        if (self_attribute(&target).empty())
          (*from_outside_)[target.name.text].push_back({program_.function_at(ModuleId(i), target.span.begin), value});
      });
    }
  }
  return (*from_outside_)[name];
}

}  // namespace lockstep::rules
