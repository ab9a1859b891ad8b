#include "rules/names/replaced_names.h"

#include <algorithm>

#include "base/strings.h"
#include "python/tree_walk.h"

namespace lockstep::rules {

using namespace python;

bool ReplacedNames::has(std::string_view name) const {
  constexpr std::size_t kMostNamesByText = 6;
  if (!all_ && known_.size() < kMostNamesByText) {
    const auto [at, is_new] = known_.try_emplace(name, false);
    if (is_new) at->second = is_stored(name);
    return at->second;
  }
  if (!all_) {
    all_.emplace();
    for (const program::Module& module : program_.modules()) {
      walk_of<Attribute>(module.facts->tree(), Nested::kEnter, [&](const Attribute* attribute) {
        if (attribute->context == ExprContext::kStore) all_->insert(attribute->name.text);
      });
    }
  }
  return all_->contains(name);
}

bool ReplacedNames::is_stored(std::string_view name) const {
  const auto stores = [&](const program::Module& module) {
    if (!contains(module.facts->source().bytes(), name)) return false;
    bool found = false;
    walk_of<Attribute>(module.facts->tree(), Nested::kEnter, [&](const Attribute* attribute) {
      found = found || (attribute->context == ExprContext::kStore && attribute->name.text == name);
    });
    return found;
  };
  return std::any_of(program_.modules().begin(), program_.modules().end(), stores);
}

}  // namespace lockstep::rules
