#include "report/documents/settings/written_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/strings.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/source/local_values.h"
#include "report/story/settings/flag_declarations.h"

namespace lockstep::report {

using namespace python;

namespace {

/// `config.x = v` of a step that the change adds or in which it gives the setting another value; null for others.
const Assign* writing(const Step& step) {
  const auto* assign = step.kind == StepKind::kPlain ? as<Assign>(step.node) : nullptr;
  const bool is_new = step.status == StepStatus::kAdded || step.status == StepStatus::kChanged;
  const bool is_here = step.taken_from == nullptr && step.inlined == nullptr && !step.is_moved &&
                       step.elsewhere == nullptr && step.renames.empty();
  if (assign == nullptr || !is_new || !is_here || assign->targets.size() != 1) return nullptr;
  return is<Attribute>(assign->targets.front()) && !config_attribute(*assign->targets.front()).empty() ? assign
                                                                                                       : nullptr;
}

}  // namespace

std::vector<std::string> written_settings(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  std::optional<FlagDeclarations> declarations;  // Made when one asks for it: it looks through all files.
  std::set<std::string> seen;
  for (const Flag& flag : story.flags) seen.insert(flag.name);
  std::vector<std::string> out;
  for (const Actor& actor : story.actors) {
    const bool counts = actor.role == Role::kCentral || actor.role == Role::kSupporting;
    if (!counts || !actor.is_function() || !actor.change->after || actor.steps.after_source == nullptr) continue;
    if (program::is_helper_path(actor.change->after->path) || program::is_test_path(actor.change->after->path))
      continue;
    for (const Step& step : actor.steps.after) {
      const Assign* assign = writing(step);
      if (assign == nullptr) continue;
      Flag flag;
      flag.name = as<Attribute>(assign->targets.front())->name.text;
      if (!seen.insert(flag.name).second) continue;
      if (out.size() == most) return out;
      if (!declarations) declarations.emplace(*inputs.after);
      declarations->declare(flag);
      // A name that is declared nowhere is no setting, and one that nobody is to set is told where it is read.
      if (flag.place.empty() || !flag.derived.empty()) continue;
      std::string told = fmt::format("{} ({})", code(flag.name), flag.place);
      if (!flag.argument.empty()) told += fmt::format(", argument {}", code(flag.argument));
      if (!flag.default_value.empty()) told += fmt::format(", default {}", code(flag.default_value));
      const auto* def = as<FunctionDef>(actor.change->after->node);
      const Expr* object = as<Attribute>(assign->targets.front())->value;
      const bool is_copy = def != nullptr && holds_copy(*def, rules::name_of(object), assign->span);
      out.push_back(fmt::format(
          "{}: set to {}{} in {} ({}).", told, code(one_line(*actor.steps.after_source, *assign->value, 60)),
          is_copy ? " on a copy of the configuration alone," : "", code(short_name(inputs, *actor.change)),
          place(actor.change->after->path, step.first_line)));
    }
  }
  return out;
}

}  // namespace lockstep::report
