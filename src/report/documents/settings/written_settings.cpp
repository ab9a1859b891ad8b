#include "report/documents/settings/written_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/strings.h"
#include "report/document.h"
#include "report/documents/settings/setting_readers.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/source/local_values.h"
#include "report/story/settings/flag_declarations.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Settings that one statement gives a value.
struct Writing {
  std::vector<std::string_view> names;
  const Expr* object = nullptr;  ///< The configuration.
  const Expr* value = nullptr;
};

/// The texts that an expression holds, if it holds nothing else: `("a", "b")`.
std::vector<std::string_view> texts_in(const Expr& expression) {
  const auto* tuple = as<Tuple>(&expression);
  const auto* list = as<python::List>(&expression);
  if (tuple == nullptr && list == nullptr) return {};
  std::vector<std::string_view> out;
  for (const Expr* one : tuple != nullptr ? tuple->elements : list->elements) {
    if (rules::text_of(one).empty()) return {};
    out.push_back(rules::text_of(one));
  }
  return out;
}

/// The names that `setattr(config, name, …)` of a step can mean: a text, or each of those that a loop around goes over.
std::vector<std::string_view> names_set(const std::vector<Step>& steps, const Step& step, const Expr& name) {
  if (const std::string_view text = rules::text_of(&name); !text.empty()) return {text};
  const std::string_view variable = rules::name_of(&name);
  for (std::size_t at = step.parent; at != Step::kNone && !variable.empty(); at = steps[at].parent) {
    const auto* loop = as<For>(steps[at].node);
    if (loop != nullptr && rules::name_of(loop->target) == variable) return texts_in(*loop->iterable);
  }
  return {};
}

/// `config.x = v` and `setattr(config, "x", v)` of a step that the change adds or in which it gives the setting another
/// value; no names for others.
Writing writing_of(const std::vector<Step>& steps, const Step& step) {
  const bool is_new = step.status == StepStatus::kAdded || step.status == StepStatus::kChanged;
  const bool is_here = step.taken_from == nullptr && step.inlined == nullptr && !step.is_moved &&
                       step.elsewhere == nullptr && step.renames.empty();
  if (step.kind != StepKind::kPlain || !is_new || !is_here) return {};
  if (const auto* assign = as<Assign>(step.node)) {
    const auto* target = assign->targets.size() == 1 ? as<Attribute>(assign->targets.front()) : nullptr;
    if (target == nullptr || config_attribute(*target).empty()) return {};
    return {{target->name.text}, target->value, assign->value};
  }
  const Call* call = call_of_step(step);
  if (call == nullptr || rules::name_of(call->callee) != "setattr" || call->arguments.size() != 3 ||
      !is_configuration(*call->arguments[0]))
    return {};
  return {names_set(steps, step, *call->arguments[1]), call->arguments[0], call->arguments[2]};
}

}  // namespace

bool writes_settings(const Story& story) {
  return std::any_of(story.actors.begin(), story.actors.end(), [](const Actor& actor) {
    const bool counts = actor.role == Role::kCentral || actor.role == Role::kSupporting;
    return counts && actor.is_function() && !actor.is_added() &&
           std::any_of(actor.steps.after.begin(), actor.steps.after.end(),
                       [&](const Step& step) { return !writing_of(actor.steps.after, step).names.empty(); });
  });
}

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
      const Writing writing = writing_of(actor.steps.after, step);
      for (const std::string_view name : writing.names) {
        Flag flag;
        flag.name = name;
        if (!seen.insert(flag.name).second) continue;
        if (out.size() == most) return out;
        if (!declarations) declarations.emplace(*inputs.after);
        // A name that is declared nowhere is no setting, and one that nobody is to set is told where it is read.
        Flag declared = flag;
        declarations->declare(declared);
        if (declared.place.empty() || !declared.derived.empty()) continue;
        declarations->describe(flag);
        std::string told = fmt::format("{} ({})", code(flag.name), flag.place);
        if (!flag.argument.empty()) told += fmt::format(", argument {}", code(flag.argument));
        if (!flag.default_value.empty()) told += fmt::format(", default {}", code(flag.default_value));
        const auto* def = as<FunctionDef>(actor.change->after->node);
        const bool is_copy = def != nullptr && holds_copy(*def, rules::name_of(writing.object), step.node->span);
        const std::string setter = code(short_name(inputs, *actor.change));
        const std::string readers = readers_text(flag, setter);
        out.push_back(fmt::format(
            "{}: set to {}{} in {} ({}).{}{}", told, code(one_line(*actor.steps.after_source, *writing.value, 60)),
            is_copy ? " on a copy of the configuration alone," : "", setter,
            place(actor.change->after->path, step.first_line), readers.empty() ? "" : " ", readers));
      }
    }
  }
  return out;
}

}  // namespace lockstep::report
