#include "report/documents/compatibility/nothing_incompatible.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/compatibility/removed.h"
#include "report/documents/correctness/checks.h"
#include "report/documents/settings/written_settings.h"
#include "report/source/class_members.h"
#include "report/source/code.h"
#include "report/story/checks/new_errors.h"
#include "report/story/classes/overridden.h"
#include "report/story/steps/definition_names.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The first class of the MRO of `cls` that gives the name itself, as a method or a class attribute; none where none
/// does.
program::ClassId first_with(const DocumentInputs& inputs, program::ClassId cls, std::string_view name) {
  const auto& all = inputs.after->classes()[cls].linearized;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](program::ClassId one) { return has_own_member(*inputs.after, one, name); });
  return found == all.end() ? program::ClassId() : *found;
}

/// Whether classes from outside stand above `cls` that do not stand above `owner`: they may have the name, too.
bool has_other_ancestors(const DocumentInputs& inputs, program::ClassId cls, program::ClassId owner) {
  const auto& all = inputs.after->classes()[cls].external_ancestors;
  const auto& known = inputs.after->classes()[owner].external_ancestors;
  return !std::includes(known.begin(), known.end(), all.begin(), all.end());
}

/// Whether a public class outside tests inherits the method, whose own class is private: nothing nearer gives the name.
bool is_inherited_public(const DocumentInputs& inputs, const change::EntityChange& entity) {
  const program::FunctionId function = entity.after->function;
  const program::ClassId owner = function.valid() ? inputs.after->functions()[function].owner : program::ClassId();
  if (!owner.valid() || inputs.after->functions()[function].name.starts_with("_")) return false;
  const std::string_view name = inputs.after->functions()[function].name;
  const std::vector<program::ClassId> classes = program::with_descendants(*inputs.after, owner);
  return std::any_of(classes.begin(), classes.end(), [&](program::ClassId one) {
    return one != owner && is_public_class(*inputs.after, one) && !has_other_ancestors(inputs, one, owner) &&
           first_with(inputs, one, name) == owner;
  });
}

/// Whether nobody outside could name it before: it had a private name, or a function held it.
bool was_private(const DocumentInputs& inputs, const Actor& actor) {
  const change::EntityChange& entity = *actor.change;
  if (!entity.before || !actor.is_function()) return false;
  const program::FunctionId function = entity.before->function;
  return !was_public(entity) || (function.valid() && inputs.before->functions()[function].enclosing.valid());
}

/// Public classes, functions and methods that the change adds, or that were private before; of a new class not what it
/// holds.
std::vector<std::string> added_public_names(const DocumentInputs& inputs, const Story& story) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> out;
  std::size_t more = 0;
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    const bool is_class = entity.kind == change::EntityKind::kClass;
    if (!(actor.is_added() || was_private(inputs, actor)) || !entity.after || actor.role == Role::kTest ||
        !(is_class || actor.is_function()) || !(is_public(entity) || is_inherited_public(inputs, entity)) ||
        actor.is_module_code)
      continue;
    const program::FunctionId function = entity.after->function;
    if (is_class && (!entity.after->cls.valid() || inputs.after->classes()[entity.after->cls].enclosing.valid()))
      continue;
    if (!is_class && function.valid()) {
      const program::Function& row = inputs.after->functions()[function];
      // It could be called before.
      if (inherited_before(inputs, entity).valid()) continue;
      // What a function defines for itself is nobody's to call, and a new class brings its methods.
      if (row.enclosing.valid() || row.name.starts_with("__")) continue;
      if (row.owner.valid() && !inputs.before->find_class(inputs.after->classes()[row.owner].qualified_name).valid())
        continue;
    }
    // What reads and what sets a property are one name.
    std::string name = code(short_name(inputs, entity));
    if (std::find(out.begin(), out.end(), name) != out.end()) continue;
    if (out.size() == kMost) {
      ++more;
    } else {
      out.push_back(std::move(name));
    }
  }
  if (more > 0) out.push_back(fmt::format("{} more", more));
  return out;
}

/// Whether the node gives the parameter, or an attribute that is called after it, a value.
bool gives_value(const Node& node, std::string_view parameter) {
  bool found = false;
  walk_of<Assign>(node, Nested::kSkip, [&](const Assign* assign) {
    for (const Expr* target : assign->targets) {
      const std::string_view name = rules::last_part_of(target);
      found = found || name == parameter || (name.starts_with("_") && name.substr(1) == parameter);
    }
  });
  return found;
}

/// Public parameters with the default `None` of which a changed step decides what counts where they are not given
/// (`self.units = units if given, else …`): marked names, each once.
std::vector<std::string> changed_stand_ins(const Story& story) {
  std::vector<std::string> out;
  for (const Actor& actor : story.actors) {
    const auto* def = actor.change->after ? as<FunctionDef>(actor.change->after->node) : nullptr;
    if (actor.role == Role::kTest || def == nullptr || actor.is_added() || !is_public(*actor.change)) continue;
    const auto stands_in = [&](const Step& step, std::string_view parameter) {
      if (step.status == StepStatus::kKept || step.is_moved) return false;
      const bool gives = is<Assign>(step.node) || is<If>(step.node) ? gives_value(*step.node, parameter) : false;
      const auto is_absent = [&](const Guard& guard) {
        const auto test = guard.condition == nullptr ? std::nullopt : rules::none_test(*guard.condition);
        return test && rules::name_of(test->subject) == parameter && test->is_none != guard.negated;
      };
      const std::vector<Guard> guards = gives ? guards_of(*def, step.span) : std::vector<Guard>();
      return std::any_of(guards.begin(), guards.end(), is_absent);
    };
    for (const Parameter* parameter : def->parameters->all) {
      const std::string_view name = parameter->name.text;
      if (!rules::is_none(parameter->default_value)) continue;
      const auto& steps = actor.steps.after;
      const std::string shown = code(std::string(name));
      if (std::find(out.begin(), out.end(), shown) == out.end() &&
          std::any_of(steps.begin(), steps.end(), [&](const Step& step) { return stands_in(step, name); }))
        out.push_back(shown);
    }
  }
  return out;
}

/// Whether a step that comes registers a hook on a state_dict: `register_load_state_dict_pre_hook(f)`.
bool registers_state_hook(const Actor& actor) {
  if (actor.role == Role::kTest) return false;
  return std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [](const Step& step) {
    bool found = false;
    if (step.status == StepStatus::kKept || step.is_moved || step.node == nullptr) return found;
    walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
      const std::string_view callee = callee_name(*call);
      found = found || (step.span.contains(call->span) && contains(callee, "register") &&
                        contains(callee, "state_dict") && callee.ends_with("hook"));
    });
    return found;
  });
}

/// ". New errors: `ValueError` in `plan` when `n < 0` (`a.py:3`)" of those that functions which were there raise, with
/// the condition right around; empty where no error is surely new.
std::string new_refusals(const DocumentInputs& inputs, const Story& story) {
  constexpr std::size_t kMost = 3;
  constexpr std::size_t kLongest = 80;
  std::vector<std::string> items;
  std::size_t all = 0;
  for (const NewErrors& one : new_errors(story)) {
    const Actor& actor = *one.actor;
    const auto* def = as<FunctionDef>(actor.change->after->node);
    // Of which of them is new where some are only reworded is not known.
    if (actor.is_added() || def == nullptr || one.more < one.steps.size()) continue;
    for (const Step* step : one.steps) {
      if (++all > kMost) continue;
      const std::vector<Guard> guards = guards_of(*def, step->span);
      const Expr* condition = guards.empty() ? nullptr : guards.back().condition;
      const std::string when = condition == nullptr
                                   ? std::string()
                                   : fmt::format(" {} {}", guards.back().negated ? "unless" : "when",
                                                 code(one_line(*actor.steps.after_source, *condition, kLongest)));
      items.push_back(fmt::format("{} in {}{} ({})", code(std::string(one.error)),
                                  code(short_name(inputs, *actor.change)), when,
                                  place(actor.change->after->path, step->first_line)));
    }
  }
  if (items.empty()) return {};
  if (all > kMost) items.push_back(fmt::format("{} more", all - kMost));
  return fmt::format(". New {}: {}", all == 1 ? "error" : "errors", join_words(items));
}

}  // namespace

std::string nothing_incompatible(const DocumentInputs& inputs, const Story& story) {
  const std::vector<std::string> added = added_public_names(inputs, story);
  std::string out = added.empty()
                        ? "No public signature, declared default, setting or state_dict function changes"
                        : fmt::format(
                              "Adds the public {}; no public signature, declared default, setting or state_dict "
                              "function changes",
                              join_words(added));
  std::vector<std::string> others;
  const bool accepts_more = only_accepts_more(story);
  if (changes_checks(story) && !accepts_more) others.emplace_back("what is refused");
  if (const std::vector<std::string> stand_ins = changed_stand_ins(story); !stand_ins.empty())
    others.push_back(fmt::format("what stands for {} where {} not given", join_words(stand_ins),
                                 stand_ins.size() == 1 ? "it is" : "they are"));
  const DefinitionNames names(inputs);
  const auto returns_otherwise = [&](const Actor& actor) {
    const auto& all = actor.change->differences;
    return actor.role != Role::kTest && actor.is_function() && is_public(*actor.change) &&
           std::any_of(all.begin(), all.end(), [&](const change::Difference& one) {
             return one.kind == change::DifferenceKind::kReturnAnnotationChanged && !one.before.empty() &&
                    !one.after.empty() && names.between(one.before, one.after).empty();
           });
  };
  if (std::any_of(story.actors.begin(), story.actors.end(), returns_otherwise)) others.emplace_back("what is returned");
  if (std::any_of(story.actors.begin(), story.actors.end(), registers_state_hook))
    others.emplace_back("what hooks do to a state_dict");
  if (accepts_more && others.empty()) {
    out += "; an assertion accepts more";
  } else if (!others.empty()) {
    out += fmt::format("; {} {}", join_words(others), others.size() == 1 ? "changes" : "change");
  }
  if (writes_settings(story)) out += "; changed lines set settings";
  const bool refuses = !others.empty() && others.front() == "what is refused";
  return refuses ? out + new_refusals(inputs, story) : out;
}

}  // namespace lockstep::report
