#include "rules/bindings.h"

#include <algorithm>

#include "python/tree_walk.h"

namespace lockstep::rules {

using namespace python;

bool binds_name(const Node& function, std::string_view name) {
  bool found = false;
  walk(function, Nested::kSkip, [&](const Node* node) {
    const auto is_it = [&](const Identifier& one) { return one.text == name; };
    if (const auto* stored = as<Name>(node)) {
      found = found || (stored->id == name && stored->context == ExprContext::kStore);
    } else if (const auto* handler = as<ExceptHandler>(node)) {
      found = found || is_it(handler->name);
    } else if (const auto* alias = as<Alias>(node)) {
      const std::string_view bound = alias->as_name.text.empty() ? alias->name.text : alias->as_name.text;
      found = found || bound.substr(0, bound.find('.')) == name;
    } else if (const auto* capture = as<MatchAs>(node)) {
      found = found || is_it(capture->name);
    } else if (const auto* star = as<MatchStar>(node)) {
      found = found || is_it(star->name);
    } else if (const auto* mapping = as<MatchMapping>(node)) {
      found = found || is_it(mapping->rest);
    } else if (const auto* definition = as<FunctionDef>(node)) {
      found = found || (node != &function && is_it(definition->name));
    } else if (const auto* cls = as<ClassDef>(node)) {
      found = found || is_it(cls->name);
    }
  });
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
