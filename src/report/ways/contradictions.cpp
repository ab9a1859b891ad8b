#include "report/ways/contradictions.h"

#include <algorithm>
#include <map>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;

std::optional<Contradiction> Contradictions::find(const std::vector<Leg>& legs,
                                                  const std::vector<Required>& by_changes) {
  struct Asked {
    std::uint8_t states = 0;
    std::size_t by = 0;
  };
  std::map<std::string_view, Asked> asked;
  for (std::size_t i = 0; i <= legs.size(); ++i) {
    if (i < legs.size() && !legs[i].call.valid()) return std::nullopt;
    for (const Required& one : i < legs.size() ? required_.of(legs[i].call, legs[i].to) : by_changes) {
      if (is<Name>(one.read)) continue;
      const auto [at, is_new] = asked.try_emplace(one.name, Asked{one.states, i});
      if (is_new) continue;
      const auto both = static_cast<std::uint8_t>(at->second.states & one.states);
      if (both == at->second.states) continue;
      if (both == 0 && at->second.by < i) {
        const auto begin = legs.begin() + static_cast<std::ptrdiff_t>(at->second.by);
        const bool is_set_between =
            std::any_of(begin, legs.end(), [&](const Leg& leg) { return may_set(leg.from, one.name); }) ||
            may_set(legs.back().to, one.name);
        if (!is_set_between) return Contradiction{at->second.by, i};
      }
      at->second = {both == 0 ? one.states : both, i};
    }
  }
  return std::nullopt;
}

/// Whether the function gives a setting of that name a value, or makes something with one.
bool Contradictions::may_set(program::FunctionId function, std::string_view name) const {
  const Node* body = program_.functions()[function].node;
  if (body == nullptr) return false;
  bool found = false;
  const auto look = [&](const auto& self, const Node& node) -> void {
    if (const auto* attribute = as<Attribute>(&node)) {
      found = found || (attribute->name.text == name && attribute->context != ExprContext::kLoad);
    } else if (const auto* call = as<Call>(&node)) {
      found = found || (callee_name(*call) == "setattr" && call->arguments.size() == 3 &&
                        rules::text_of(call->arguments[1]) == name);
      for (const Keyword* keyword : call->keywords) found = found || keyword->name.text == name;
    }
    for_each_child(node, [&](const Node* child) {
      if (!found) self(self, *child);
    });
  };
  look(look, *body);
  return found;
}

}  // namespace lockstep::report
