#include "report/ways/functions/stored_callables.h"

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/defaults.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

/// Whether the function's name stands in the expression, by itself or as an attribute.
bool names(const Node& node, std::string_view function) {
  const auto* attribute = as<Attribute>(&node);
  const auto* name = as<Name>(&node);
  if ((attribute != nullptr && attribute->name.text == function) || (name != nullptr && name->id == function))
    return true;
  bool found = false;
  for_each_child(node, [&](const Node* child) { found = found || names(*child, function); });
  return found;
}

}  // namespace

std::vector<StoredCallables::Store> StoredCallables::of(const program::CallSite& site, FunctionId callee) {
  std::vector<Store> out;
  const auto* call = as<Call>(site.node);
  const Expr* called = call == nullptr ? nullptr : call->callee;
  while (const auto* item = as<Subscript>(called)) called = item->value;
  const std::string_view setting = called == nullptr ? std::string_view() : config_attribute(*called);
  const std::string_view function = program_.functions()[callee].name;
  if (setting.empty() || setting == function) return out;
  for (const Given& given : given_to(setting)) {
    if (names(*given.value, function)) out.push_back(given.store);
  }
  return out;
}

const std::vector<StoredCallables::Given>& StoredCallables::given_to(std::string_view setting) {
  const auto [known, is_new] = given_.try_emplace(setting);
  if (!is_new) return known->second;
  for (std::size_t i = 0; i < program_.modules().size(); ++i) {
    const program::ModuleId id(i);
    const program::Module& module = program_.modules()[id];
    if (program::is_test_path(module.path) || !contains(module.facts->source().bytes(), setting)) continue;
    const auto add = [&](const Expr& value) {
      const FunctionId function = program_.function_at(id, value.span.begin);
      if (function.valid()) known->second.push_back({{function, value.span}, &value});
    };
    const auto look = [&](const auto& self, const Node& node) -> void {
      if (const auto* assign = as<Assign>(&node)) {
        for (const Expr* target : assign->targets) {
          const auto* attribute = as<Attribute>(target);
          if (attribute != nullptr && attribute->name.text == setting) add(*assign->value);
        }
      } else if (const auto* keyword = as<Keyword>(&node); keyword != nullptr && keyword->name.text == setting) {
        add(*keyword->value);
      }
      for_each_child(node, [&](const Node* child) { self(self, *child); });
    };
    look(look, module.facts->tree());
  }
  return known->second;
}

}  // namespace lockstep::report
