#include "report/story/calls/newly_given.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "python/tree_walk.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;

namespace {

/// What the calls of one callee give, all together.
struct Given {
  std::size_t arguments = 0;
  std::set<std::string_view> names;  ///< Of keyword arguments that are not off.
};

std::map<std::string, Given> given_in(const Node& node) {
  std::map<std::string, Given> out;
  walk_of<Call>(node, Nested::kEnter, [&](const Call* call) {
    const std::string callee = dotted_text(call->callee);
    if (callee.empty()) return;
    Given& own = out[callee];
    own.arguments += call->arguments.size() + call->keywords.size();
    for (const Keyword* keyword : call->keywords) {
      const auto* constant = as<Constant>(keyword->value);
      const bool is_off = constant != nullptr && (constant->constant_kind == ConstantKind::kFalse ||
                                                  constant->constant_kind == ConstantKind::kNone);
      if (!is_off && !keyword->name.text.empty()) own.names.insert(keyword->name.text);
    }
  });
  return out;
}

}  // namespace

bool gives_old_parameter(const change::EntityChange& entity, const std::function<bool(std::string_view)>& is_brought) {
  if (!entity.before || !entity.after || entity.after->node == nullptr || entity.before->node == nullptr) return false;
  const std::map<std::string, Given> was = given_in(*entity.before->node);
  const std::map<std::string, Given> is = given_in(*entity.after->node);
  return std::any_of(is.begin(), is.end(), [&](const auto& one) {
    const auto old = was.find(one.first);
    // What only gets a name was given before.
    if (old == was.end() || one.second.arguments <= old->second.arguments) return false;
    return std::any_of(one.second.names.begin(), one.second.names.end(),
                       [&](std::string_view name) { return !old->second.names.contains(name) && !is_brought(name); });
  });
}

}  // namespace lockstep::report
