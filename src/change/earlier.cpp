#include "change/earlier.h"

#include <string_view>

namespace lockstep::change {

using program::FunctionId;

EarlierFunctions::EarlierFunctions(const Change& change) : change_(change) {
  for (const EntityChange& entity : change.entities) {
    if (!entity.after) continue;
    if (entity.after->function.valid())
      changed_[entity.after->function] = entity.before ? entity.before->function : FunctionId();
    if (entity.before && entity.before->qualified_name != entity.after->qualified_name)
      renamed_[entity.after->qualified_name] = entity.before->qualified_name;
  }
}

FunctionId EarlierFunctions::of(FunctionId function) const {
  if (const auto known = changed_.find(function); known != changed_.end()) return known->second;
  const std::string& name = change_.after->functions()[function].qualified_name;
  // What holds it may have had another name: the innermost one says so.
  for (std::size_t end = name.rfind('.'); end != std::string::npos && end > 0; end = name.rfind('.', end - 1)) {
    const auto outer = renamed_.find(std::string_view(name).substr(0, end));
    if (outer != renamed_.end()) return change_.before->find_function(outer->second + name.substr(end));
  }
  return change_.before->find_function(name);
}

}  // namespace lockstep::change
