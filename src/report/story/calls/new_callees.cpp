#include "report/story/calls/new_callees.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "change/names.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

std::vector<program::FunctionId> newly_called(const program::Program& after, const change::EntityChange& entity) {
  std::vector<program::FunctionId> out;
  if (!entity.after || !entity.after->function.valid()) return out;
  std::set<std::string_view> fresh;
  for (const change::Difference& each : entity.differences) {
    if (each.kind == change::DifferenceKind::kCallAdded) fresh.insert(change::last_part(each.name));
  }
  for (const program::CallId id : after.functions()[entity.after->function].calls) {
    for (const program::CallTarget& target : after.calls()[id].targets) {
      if (!target.function.valid()) continue;
      const program::Function& callee = after.functions()[target.function];
      const bool is_fresh = callee.def() != nullptr && fresh.contains(callee.name);
      if (is_fresh && std::find(out.begin(), out.end(), target.function) == out.end()) out.push_back(target.function);
    }
  }
  return out;
}

bool newly_called_raises(const program::Program& after, const change::EntityChange& entity, std::string_view kind) {
  const std::vector<program::FunctionId> fresh = newly_called(after, entity);
  return !kind.empty() && std::any_of(fresh.begin(), fresh.end(), [&](program::FunctionId callee) {
    bool raises = false;
    python::walk_of<python::Raise>(
        *after.functions()[callee].node, python::Nested::kSkip,
        [&](const python::Raise* one) { raises = raises || rules::last_part_of(one->exception) == kind; });
    return raises;
  });
}

}  // namespace lockstep::report
