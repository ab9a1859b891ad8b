#include "report/story/communication/handed_collectives.h"

#include <algorithm>
#include <string>

#include "mesh/models.h"
#include "program/queries.h"
#include "report/source/code.h"
#include "report/source/given_arguments.h"
#include "report/story/wording/words.h"
#include "rules/syntax/call_arguments.h"

namespace lockstep::report {

namespace {

/// The group that the call of a collective gives; null where it gives none, or where that does not show.
const python::Expr* written_group(const program::Program& program, const mesh::CollectiveSite& site) {
  const auto* call = python::as<python::Call>(site.call);
  const mesh::CollectiveModel* model =
      call == nullptr ? nullptr : mesh::find_collective(external_callee(program, call));
  if (model == nullptr || model->is_of_object) return nullptr;
  constexpr std::size_t kNoPlace = 64;
  const std::size_t place = model->group < 0 ? kNoPlace : static_cast<std::size_t>(model->group);
  return rules::argument_of(*call, place, "group");
}

}  // namespace

const mesh::CollectiveSite* handed_collective(const DocumentInputs& inputs, const change::EntityChange& entity,
                                              const mesh::CollectiveSite& gone, program::FunctionId helper) {
  if (inputs.after_mesh == nullptr || !entity.after || !entity.after->function.valid() || gone.is_point_to_point ||
      gone.creates_group)
    return nullptr;
  const python::Expr* group = written_group(*inputs.before, gone);
  if (group == nullptr) return nullptr;
  const program::FunctionId caller = entity.after->function;
  const std::string was = one_line_whole(source_of(*inputs.before, gone.function), *group);
  for (const mesh::CollectiveSite& site : inputs.after_mesh->collectives_of(helper)) {
    if (site.operation != gone.operation || site.group.parameter.empty()) continue;
    for (const program::CallId id : inputs.after->functions()[caller].calls) {
      const program::CallSite& call = inputs.after->calls()[id];
      if (!program::surely_enters(call, helper)) continue;
      const rules::Given given = given_by(*inputs.after, call, helper, site.group.parameter);
      if (given.value != nullptr && one_line_whole(source_of(*inputs.after, caller), *given.value) == was) return &site;
    }
  }
  return nullptr;
}

}  // namespace lockstep::report
