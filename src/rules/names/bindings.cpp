#include "rules/names/bindings.h"

#include <algorithm>

#include "python/tree_walk.h"

namespace lockstep::rules {

using namespace python;

std::size_t bindings_of(const Node& function, std::string_view name, Nested nested) {
  std::size_t count = 0;
  walk(function, nested, [&](const Node* node) {
    bool binds = false;
    if (const auto* stored = as<Name>(node)) {
      binds = stored->id == name && stored->context == ExprContext::kStore;
    } else if (const auto* handler = as<ExceptHandler>(node)) {
      binds = handler->name.text == name;
    } else if (const auto* alias = as<Alias>(node)) {
      const std::string_view bound = alias->as_name.text.empty() ? alias->name.text : alias->as_name.text;
      binds = bound.substr(0, bound.find('.')) == name;
    } else if (const auto* capture = as<MatchAs>(node)) {
      binds = capture->name.text == name;
    } else if (const auto* star = as<MatchStar>(node)) {
      binds = star->name.text == name;
    } else if (const auto* mapping = as<MatchMapping>(node)) {
      binds = mapping->rest.text == name;
    } else if (const auto* definition = as<FunctionDef>(node)) {
      binds = node != &function && definition->name.text == name;
    } else if (const auto* cls = as<ClassDef>(node)) {
      binds = cls->name.text == name;
    }
    count += binds ? 1 : 0;
  });
  return count;
}

bool binds_name(const Node& function, std::string_view name) {
  bool found = bindings_of(function, name, Nested::kSkip) > 0;
  if (found) return true;
  walk_of<Nonlocal>(function, Nested::kEnter, [&](const Nonlocal* declared) {
    found = found || std::any_of(declared->names.begin(), declared->names.end(),
                                 [&](const Identifier& one) { return one.text == name; });
  });
  return found;
}

const Parameter* parameter_named(const FunctionDef* function, std::string_view name) {
  if (function == nullptr) return nullptr;
  const auto& all = function->parameters->all;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Parameter* one) { return one->name.text == name; });
  return found == all.end() ? nullptr : *found;
}

}  // namespace lockstep::rules
