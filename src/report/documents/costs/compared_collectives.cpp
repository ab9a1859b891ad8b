#include "report/documents/costs/compared_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/two_places.h"

namespace lockstep::report {

using namespace python;

namespace {

/// ", and still is where `group` is `None`, its default", of a call of torch.distributed, for which `None` is the
/// group of all ranks; empty for others.
std::string kept_by_default(const DocumentInputs& inputs, const mesh::CollectiveSite& site,
                            const mesh::CollectiveSite& old) {
  const bool is_taken = site.group.kind == mesh::Group::Kind::kParameter && old.operation == site.operation &&
                        old.group.kind == mesh::Group::Kind::kWorld;
  if (!is_taken || !external_callee(*inputs.after, site.call).starts_with("torch.distributed.")) return {};
  const FunctionDef* function = inputs.after->functions()[site.function].def();
  const Parameter* parameter = rules::parameter_named(function, site.group.parameter);
  const bool is_none = parameter != nullptr && rules::is_none(parameter->default_value);
  if (!is_none || rules::binds_name(*function, site.group.parameter)) return {};
  return fmt::format(", and still is where {} is {}, its default", code(site.group.parameter), code("None"));
}

/// The one collective of the old version's step; null where there is none, or several.
const mesh::CollectiveSite* old_site(const DocumentInputs& inputs, const Step& step, const Actor& actor) {
  if (step.partner == Step::kNone || inputs.before_mesh == nullptr) return nullptr;
  const WordsContext before = context_before(inputs, actor);
  if (before.mesh == nullptr || !before.function.valid()) return nullptr;
  const Span was = actor.steps.before[step.partner].span;
  const mesh::CollectiveSite* old = nullptr;
  for (const mesh::CollectiveSite& each : before.mesh->collectives_of(before.function)) {
    if (each.call == nullptr || !was.contains(each.call->span)) continue;
    if (old != nullptr) return nullptr;
    old = &each;
  }
  return old;
}

/// Whether it is known which ranks the group spans, or at least that it is one of several: `pg.a or pg.b`.
bool is_known(const mesh::Group& group) {
  return group.kind == mesh::Group::Kind::kWorld || group.kind == mesh::Group::Kind::kKnown ||
         contains(group.text, " or ") || contains(group.text, " if ");
}

}  // namespace

bool may_be_same_group(const DocumentInputs& inputs, const mesh::CollectiveSite& site, const Step& step,
                       const Actor& actor) {
  const mesh::CollectiveSite* old = old_site(inputs, step, actor);
  if (old == nullptr || old->operation != site.operation) return false;
  if (collective_words(*old, *inputs.before_mesh) == collective_words(site, *inputs.after_mesh)) return false;
  return (!is_known(old->group) || !is_known(site.group)) && kept_by_default(inputs, site, *old).empty();
}

std::string changed_words(const DocumentInputs& inputs, const mesh::CollectiveSite& site, const Step& step,
                          const Actor& actor) {
  const mesh::CollectiveSite* old = old_site(inputs, step, actor);
  if (old == nullptr) return "Changed";
  const std::string words = collective_words(*old, *inputs.before_mesh);
  if (words == collective_words(site, *inputs.after_mesh)) return "Changed";
  return fmt::format("Changed: it was {}{}", words, kept_by_default(inputs, site, *old));
}

bool was_issued_as_often(const DocumentInputs& inputs, const mesh::CollectiveSite& site, const Actor& actor) {
  if (!actor.change->before || !actor.change->before->function.valid() || inputs.before_mesh == nullptr) return false;
  const std::string words = collective_words(site, *inputs.after_mesh);
  // Of two in the arms of one branch a run issues one.
  const auto count = [&](const program::Program& program, const mesh::MeshAnalysis& mesh,
                         program::FunctionId function) {
    std::vector<Span> counted;
    for (const mesh::CollectiveSite& one : mesh.collectives_of(function)) {
      if (collective_words(one, mesh) != words) continue;
      const Span place = one.call->span;
      if (std::none_of(counted.begin(), counted.end(), [&](Span other) {
            return rules::are_exclusive(*program.functions()[function].node, place, other);
          }))
        counted.push_back(place);
    }
    return counted.size();
  };
  return count(*inputs.after, *inputs.after_mesh, actor.change->after->function) <=
         count(*inputs.before, *inputs.before_mesh, actor.change->before->function);
}

}  // namespace lockstep::report
