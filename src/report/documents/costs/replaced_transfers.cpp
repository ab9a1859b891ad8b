#include "report/documents/costs/replaced_transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "program/queries.h"
#include "report/document.h"

namespace lockstep::report {

namespace {

/// Of source text the marks that the mesh analysis may put around it.
std::string without_marks(std::string text) {
  std::erase(text, '`');
  return text;
}

/// How often a function issues each operation of one kind over groups that read like that of `site`.
std::map<std::string_view, int> operations_like(const mesh::MeshAnalysis& mesh, program::FunctionId function,
                                                const mesh::CollectiveSite& site) {
  std::map<std::string_view, int> out;
  for (const mesh::CollectiveSite& one : mesh.collectives_of(function)) {
    const bool is_like = one.is_point_to_point == site.is_point_to_point && !one.creates_group &&
                         !site.group.text.empty() && without_marks(one.group.text) == without_marks(site.group.text);
    if (is_like) ++out[one.operation];
  }
  return out;
}

/// Operations that the caller issues less often than before.
std::set<std::string> lost_operations(const DocumentInputs& inputs, const change::EntityChange& caller,
                                      const mesh::CollectiveSite& site) {
  std::set<std::string> out;
  if (!caller.before || !caller.before->function.valid()) return out;
  const auto now = operations_like(*inputs.after_mesh, caller.after->function, site);
  for (const auto& [operation, count] : operations_like(*inputs.before_mesh, caller.before->function, site)) {
    const auto still = now.find(operation);
    if (still == now.end() || still->second < count) out.insert(code(operation));
  }
  return out;
}

}  // namespace

std::string transfers_of_callers(const DocumentInputs& inputs, const Story& story, const Actor& added,
                                 const mesh::CollectiveSite& site) {
  if (added.change->before || !added.change->after || inputs.before_mesh == nullptr || inputs.after_mesh == nullptr)
    return {};
  std::set<program::FunctionId> callers;
  for (const program::CallId id : inputs.after->callers_of(added.change->after->function)) {
    const program::FunctionId caller = inputs.after->calls()[id].caller;
    if (!program::is_test_path(inputs.after->module_of(caller).path)) callers.insert(caller);
  }
  std::set<std::string> lost;
  for (const program::FunctionId caller : callers) {
    const auto actor = std::find_if(story.actors.begin(), story.actors.end(), [&](const Actor& one) {
      return one.is_function() && one.change->after && one.change->after->function == caller;
    });
    if (actor == story.actors.end()) return {};
    const std::set<std::string> gone = lost_operations(inputs, *actor->change, site);
    if (gone.empty()) return {};
    lost.insert(gone.begin(), gone.end());
  }
  if (callers.empty()) return {};
  return fmt::format(
      "{} of the {} it", join_words({lost.begin(), lost.end()}),
      callers.size() == 1 ? std::string("function that calls") : fmt::format("{} functions that call", callers.size()));
}

}  // namespace lockstep::report
