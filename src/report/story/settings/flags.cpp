// The configuration values that the change adds, alters, or stands under, and whether the changed code runs with their
// defaults.
#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/main_check.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/defaults.h"
#include "report/source/held_settings.h"
#include "report/source/words.h"
#include "report/story/settings/awakened_settings.h"
#include "report/story/settings/deciding_conditions.h"
#include "report/story/settings/flag_declarations.h"
#include "report/story/settings/given_in_files.h"
#include "report/story/settings/set_on_way.h"
#include "report/story/settings/setting_values.h"
#include "report/story/story.h"
#include "report/story/wording/differing_text.h"
#include "report/ways/conditions/asked_settings.h"
#include "report/ways/conditions/settings_behind.h"
#include "report/ways/conditions/stored_settings.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using change::EntityKind;
using program::ClassId;
using program::FunctionId;
using program::Program;
using rules::text_of;

namespace {

constexpr std::size_t kMostFlags = 6;

/// A condition that names the setting says more than one that asks for it under another name.
constexpr std::vector<ReadSetting> DecidingCondition::*kByTelling[] = {&DecidingCondition::reads,
                                                                       &DecidingCondition::stands_for};

bool has_flag(const Story& story, std::string_view name) {
  return std::any_of(story.flags.begin(), story.flags.end(), [&](const Flag& flag) { return flag.name == name; });
}

bool holds_configuration(const program::Class& cls) {
  if (cls.name.starts_with('_')) return false;  // Nobody outside sets what a private class holds.
  // `PackedSeqParams` of a batch: tensors are data, and what is called was made by code.
  const auto is_of_run = [](const program::Field& field) {
    bool found = false;
    const auto look = [&](const Expr* one) {
      const std::string_view name = rules::last_part_of(one);
      found = found || name == "Tensor" || name == "Callable";
    };
    if (field.in_class_body && field.annotation != nullptr) {
      look(field.annotation);
      walk_expressions(*field.annotation, Nested::kEnter, look);
    }
    return found;
  };
  if (!cls.name.ends_with("Config") && std::any_of(cls.fields.begin(), cls.fields.end(), is_of_run)) return false;
  for (const std::string_view end : {"Config", "Configuration", "Args", "Arguments", "Options", "Settings", "Params"}) {
    if (cls.name.ends_with(end)) return true;
  }
  return false;
}

/// Whether a class above declares the field, too: another default of a subclass is no new setting.
bool is_inherited(const program::Program& program, ClassId cls, std::string_view name) {
  const auto& classes = program.classes()[cls].linearized;
  return std::any_of(classes.begin(), classes.end(), [&](ClassId above) {
    const auto& fields = program.classes()[above].fields;
    return above != cls && std::any_of(fields.begin(), fields.end(), [&](const program::Field& field) {
             return field.in_class_body && field.name == name;
           });
  });
}

/// Whether code of the product declared a command-line option for a setting of this name before the change: a field
/// that comes is another way to write it down.
bool was_an_option(const program::Program& before, const std::string& name) {
  const std::string option = "--" + replace_all(name, "_", "-");
  const std::string as_written = "--" + name;
  return std::any_of(before.modules().begin(), before.modules().end(), [&](const program::Module& module) {
    if (program::is_test_path(module.path) || program::is_helper_path(module.path)) return false;
    const std::string_view bytes = module.facts->source().bytes();
    return contains(bytes, "add_argument") && (is_quoted_in(bytes, option) || is_quoted_in(bytes, as_written));
  });
}

/// Of defaults that differ only behind where their texts were cut, what differs.
void tell_cut_default(const program::Program& before, const Expr* was, ClassId was_in, const program::Program& after,
                      const Expr* is, ClassId is_in, Flag& flag) {
  if (was == nullptr || is == nullptr) return;
  const SourceText& before_source = before.module_of(was_in).facts->source();
  const SourceText& after_source = after.module_of(is_in).facts->source();
  if (one_line_whole(before_source, *was) == one_line_whole(after_source, *is)) return;
  std::tie(flag.old_default, flag.default_value) =
      where_they_differ(before_source, was->span, after_source, is->span, 70);
}

void add_changed_fields(const DocumentInputs& inputs, const FlagDeclarations& declarations, Story& story) {
  std::optional<FlagDeclarations> before;  // Made when a field asks for it: it looks through all files.
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    if (entity.kind != EntityKind::kField || !entity.after || !entity.after->cls.valid() || actor.role == Role::kTest ||
        entity.is_cosmetic())
      continue;
    if (!holds_configuration(inputs.after->classes()[entity.after->cls])) continue;
    Flag flag;
    flag.name = entity.after->qualified_name.substr(entity.after->qualified_name.rfind('.') + 1);
    if (has_flag(story, flag.name) || (actor.is_added() && is_inherited(*inputs.after, entity.after->cls, flag.name)))
      continue;
    flag.is_new = actor.is_added() && !was_an_option(*inputs.before, flag.name);
    flag.is_changed = !flag.is_new;
    declarations.fill_from_field(flag, entity.after->cls);
    if (flag.is_changed && entity.before && entity.before->cls.valid()) {
      Flag old_flag;
      old_flag.name = entity.before->qualified_name.substr(entity.before->qualified_name.rfind('.') + 1);
      if (!before) before.emplace(*inputs.before);
      before->fill_from_field(old_flag, entity.before->cls);
      if (old_flag.default_value != flag.default_value) {
        flag.old_default = old_flag.default_value;
      } else {
        tell_cut_default(*inputs.before, before->default_expression(old_flag), entity.before->cls, *inputs.after,
                         declarations.default_expression(flag), entity.after->cls, flag);
      }
      // Another name alone is told as such.
      if (old_flag.name != flag.name && flag.old_default.empty()) continue;
    }
    story.flags.push_back(std::move(flag));
  }
}

/// Source text of all that an `add_argument` says beside its help.
std::vector<std::string> declaration_of(const Call& call, const SourceText& source) {
  std::vector<std::string> out;
  for (const Expr* argument : call.arguments) out.emplace_back(source.slice(argument->span));
  for (const Keyword* keyword : call.keywords) {
    if (keyword->name.text != "help") out.emplace_back(source.slice(keyword->span));
  }
  return out;
}

/// Another help text declares no other setting.
bool differs_only_in_help(const Actor& actor, const Step& step, const Call& call) {
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone) return false;
  const auto* statement = as<ExprStmt>(actor.steps.before[step.partner].node);
  const auto* old_call = statement == nullptr ? nullptr : as<Call>(statement->value);
  return old_call != nullptr && callee_name(*old_call) == "add_argument" &&
         declaration_of(*old_call, *actor.steps.before_source) == declaration_of(call, *actor.steps.after_source);
}

/// What an argument gave before where the command line says nothing, if that is something else now; else empty.
std::string old_argument_default(const Actor& actor, const Step& step, const Call& call) {
  if (step.partner == Step::kNone) return {};
  const auto* statement = as<ExprStmt>(actor.steps.before[step.partner].node);
  const auto* old_call = statement == nullptr ? nullptr : as<Call>(statement->value);
  if (old_call == nullptr || callee_name(*old_call) != "add_argument") return {};
  const auto default_text = [](const Call& one, const SourceText& source) {
    const Expr* stated = rules::keyword_value(one, "default");
    return stated != nullptr ? one_line_whole(source, *stated) : argument_default(one).text;
  };
  const std::string was = default_text(*old_call, *actor.steps.before_source);
  return was == default_text(call, *actor.steps.after_source) ? std::string() : was;
}

/// Where changed code declared the option before, wherever its statement stands now.
struct OldDeclaration {
  const Actor* actor = nullptr;
  const Call* call = nullptr;
};
OldDeclaration old_declaration(const Story& story, std::string_view option) {
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || actor.steps.before_source == nullptr) continue;
    for (const Step& step : actor.steps.before) {
      const Call* call = step.status == StepStatus::kKept ? nullptr : option_declared_by(step);
      if (call != nullptr && text_of(call->arguments.front()) == option) return {&actor, call};
    }
  }
  return {};
}

/// Paths of the Python code outside tests that the change touches.
std::vector<std::string> source_paths(const change::Change& change) {
  std::vector<std::string> out;
  for (const change::FileSummary& file : change.files) {
    const std::string& path = file.file->new_path;
    if (file.is_python && !path.empty() && !program::is_test_path(path)) out.push_back(path);
  }
  return out;
}

/// Whether a class that holds settings had a field of this name before the change.
bool was_a_field(const program::Program& before, std::string_view name) {
  for (std::size_t i = 0; i < before.classes().size(); ++i) {
    const program::Class& cls = before.classes()[program::ClassId(i)];
    const bool has = std::any_of(cls.fields.begin(), cls.fields.end(), [&](const program::Field& field) {
      return field.name == name && field.in_class_body;
    });
    if (has && holds_configuration(cls)) return true;
  }
  return false;
}

/// `add_argument("--x", …)` on lines that the change adds.
void add_changed_arguments(const DocumentInputs& inputs, Story& story) {
  for (const Actor& actor : story.actors) {
    if (!actor.is_function() || actor.role == Role::kTest || actor.steps.after_source == nullptr) continue;
    for (const Step& step : actor.steps.after) {
      const Call* call = step.status == StepStatus::kKept ? nullptr : option_declared_by(step);
      if (call == nullptr || differs_only_in_help(actor, step, *call)) continue;
      const std::string_view option = text_of(call->arguments.front());
      // What it stands beside on the other side may be another option.
      const Call* beside = step.partner == Step::kNone ? nullptr : option_declared_by(actor.steps.before[step.partner]);
      const bool is_other = beside == nullptr || text_of(beside->arguments.front()) != option;
      const OldDeclaration was = is_other ? old_declaration(story, option) : OldDeclaration();
      if (was.call != nullptr && declaration_of(*was.call, *was.actor->steps.before_source) ==
                                     declaration_of(*call, *actor.steps.after_source))
        continue;
      Flag flag;
      flag.name = rules::argparse_destination(*call);
      flag.argument = option;
      flag.argument_clears = text_of(rules::keyword_value(*call, "action")) == "store_false";
      flag.path = actor.change->after->path;  // Another file may declare an option of that name.
      if (flag.name.empty()) continue;
      const auto known =
          std::find_if(story.flags.begin(), story.flags.end(), [&](const Flag& one) { return one.name == flag.name; });
      if (known != story.flags.end()) {
        // A script beside the product has arguments of its own.
        if (!known->owner.empty() && program::is_helper_path(actor.change->after->path)) continue;
        known->argument = option;
        known->argument_clears = flag.argument_clears;
        continue;
      }
      flag.is_new = is_other && was.call == nullptr && !was_a_field(*inputs.before, flag.name);
      flag.is_changed = !flag.is_new;
      if (!is_other) flag.old_default = old_argument_default(actor, step, *call);
      story.flags.push_back(std::move(flag));
    }
  }
}

/// Whether a flag is the field that `declared_by` declares: fields of one name in unrelated classes are several
/// settings. What the change itself declares is one, whoever reads it.
bool is_field_of(const Program& program, const Flag& flag, ClassId declared_by) {
  if (!declared_by.valid() || flag.owner.empty() || flag.is_new || flag.is_changed) return true;
  const ClassId owner = program.find_class(flag.owner);
  return !owner.valid() || owner == declared_by ||
         program.classes()[owner].name == program.classes()[declared_by].name ||
         program::are_kin(program, owner, declared_by);
}

/// The flag of this name, made from its field where there is none yet; null where there are enough.
Flag* flag_of(const Program& program, Story& story, const std::string& name, ClassId declared_by,
              const FlagDeclarations& declarations) {
  const auto known = std::find_if(story.flags.begin(), story.flags.end(), [&](const Flag& one) {
    return one.name == name && is_field_of(program, one, declared_by);
  });
  if (known != story.flags.end()) return &*known;
  if (story.flags.size() >= 2 * kMostFlags) return nullptr;
  Flag& flag = story.flags.emplace_back();
  flag.name = name;
  if (declared_by.valid()) declarations.fill_from_field(flag, declared_by);
  return &flag;
}

/// Whether the setting is an argument of one script, and the function stands in another one, which has its own of that
/// name.
bool is_of_other_script(const Program& program, const Flag& flag, program::FunctionId function) {
  return function.valid() && is_of_script(program, flag) && program.module_of(function).path != flag.path &&
         has_main_check(program.module_of(function).facts->tree().body);
}

/// Whether both compare one thing with constants.
bool asks_the_same(const DecidingCondition& one, const DecidingCondition& other) {
  const auto subject = [](const DecidingCondition& condition) {
    const auto* compare = as<Compare>(condition.expression);
    return compare == nullptr || compare->ops.size() != 1 || !is<Constant>(compare->comparators.front())
               ? std::string()
               : one_line_whole(*condition.source, *compare->left);
  };
  return !subject(one).empty() && subject(one) == subject(other);
}

/// The condition in words; where these are cut before they come to the setting, the part of it that asks for that.
std::string words_with(const DecidingCondition& condition, std::string_view setting) {
  std::string words = condition_words(*condition.expression, *condition.source, condition.negated);
  const auto* both = as<BoolOp>(condition.expression);
  if (condition.negated || both == nullptr || both->op != BoolOperator::kAnd || contains(words, setting)) return words;
  for (const Expr* part : both->values) {
    const std::vector<std::string> read = config_reads(*part);
    if (std::find(read.begin(), read.end(), setting) != read.end()) return condition_words(*part, *condition.source);
  }
  return words;
}

/// "yarn" of `self.kind == "yarn" and x`, asked of `kind`; empty where nothing of the kind must hold.
std::string text_asked_of(const Expr& condition, std::string_view setting) {
  if (const auto* all = as<BoolOp>(&condition); all != nullptr && all->op == BoolOperator::kAnd) {
    for (const Expr* one : all->values) {
      if (std::string text = text_asked_of(*one, setting); !text.empty()) return text;
    }
    return {};
  }
  const auto* compare = as<Compare>(&condition);
  if (compare == nullptr || compare->ops.size() != 1 || compare->ops.front() != CompareOperator::kEq) return {};
  const auto* member = as<Attribute>(compare->left);
  return member != nullptr && member->name.text == setting ? std::string(text_of(compare->comparators.front()))
                                                           : std::string();
}

void add_guards(const Program& program, const std::vector<DecidingCondition>& conditions,
                const FlagDeclarations& declarations, Story& story) {
  // What a setting is says more than one of the things that it is not.
  std::vector<DecidingCondition> ordered = conditions;
  std::stable_partition(ordered.begin(), ordered.end(), [&](const DecidingCondition& one) {
    return !one.negated || std::none_of(conditions.begin(), conditions.end(), [&](const DecidingCondition& other) {
      return !other.negated && other.scope == one.scope && asks_the_same(one, other);
    });
  });
  for (const auto settings : kByTelling) {
    for (const DecidingCondition& condition : ordered) {
      for (const ReadSetting& read : condition.*settings) {
        Flag* flag = flag_of(program, story, std::string(read.name), read.declared_by, declarations);
        if (flag == nullptr || !flag->guards.empty() || is_of_other_script(program, *flag, condition.function))
          continue;
        flag->guards = words_with(condition, read.name);
        flag->asked_text = condition.negated ? std::string() : text_asked_of(*condition.expression, read.name);
        flag->scope = condition.scope;
        flag->guards_all = condition.guards_all;
        flag->guarded = condition.central;
        flag->is_decided_here = condition.is_changed;
      }
    }
  }
  for (const DecidingCondition& condition : ordered) {
    for (const SettingBehind& one : condition.behind) {
      Flag* flag = flag_of(program, story, std::string(one.setting.name), one.setting.declared_by, declarations);
      if (flag == nullptr || !flag->guards.empty()) continue;
      flag->guards = condition_words(*one.part, *condition.source, one.negated);
      flag->asked_text = one.negated ? std::string() : text_asked_of(*one.part, one.setting.name);
      flag->is_behind = true;
      flag->scope = condition.scope;
      flag->guarded = condition.central;
      flag->is_decided_here = condition.is_changed;
    }
  }
}

/// Those that choose the class of the lead, or of what leads there.
void add_choosing(const Program& program, const FlagDeclarations& declarations, Story& story) {
  const std::size_t lead = story.lead();
  if (lead >= story.entries.size() || !story.entries[lead].chosen) return;
  const std::vector<ChoosingPlace>& places = story.entries[lead].chosen->places;
  const bool is_off =
      std::all_of(places.begin(), places.end(), [](const ChoosingPlace& place) { return place.holds == false; });
  for (const ChoosingPlace& place : places) {
    if (place.setting_place.empty()) continue;
    Flag* flag = flag_of(program, story, place.setting, place.declared_by, declarations);
    if (flag == nullptr || !flag->guards.empty()) continue;
    flag->guards = condition_words(*place.guard.condition, source_of(program, place.function), place.guard.negated);
    flag->scope = GuardScope::kWay;
    flag->guarded = lead;
    if (story.entries[lead].chosen->free.empty() && (is_off || places.size() == 1)) flag->runs_by_default = place.holds;
  }
}

/// Attributes that changed steps of functions outside tests read.
std::set<std::string_view> attributes_read(const Story& story) {
  std::set<std::string_view> out;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || actor.steps.after_source == nullptr) continue;
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept) continue;
      walk_of<Attribute>(*step.node, Nested::kSkip, [&](const Attribute* one) {
        if (step.span.contains(one->span) && one->context == ExprContext::kLoad) out.insert(one->name.text);
      });
      walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
        const std::string_view callee = callee_name(*call);
        if (step.span.contains(call->span) && (callee == "getattr" || callee == "hasattr") &&
            call->arguments.size() >= 2)
          out.insert(text_of(call->arguments[1]));
      });
    }
  }
  return out;
}

/// A setting under which the change marks something (`param.group = 'x'`) that other changed code then asks for: it
/// switches that code on, though no condition there reads it.
void add_switches(const DocumentInputs& inputs, Story& story) {
  const std::set<std::string_view> read = attributes_read(story);
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || actor.steps.after_source == nullptr || !actor.change->after) continue;
    const program::ModuleId old = inputs.before->find_path(actor.change->after->path);
    for (const Step& step : actor.steps.after) {
      const auto* assign = as<Assign>(step.node);
      const auto* marked =
          assign == nullptr || assign->targets.size() != 1 ? nullptr : as<Attribute>(assign->targets[0]);
      if (step.status != StepStatus::kAdded || marked == nullptr || !read.contains(marked->name.text)) continue;
      if (!config_attribute(*marked).empty()) continue;  // A setting that gets another value marks nothing.
      // An attribute that was there before marked other things, too.
      if (old.valid() &&
          find_name(inputs.before->modules()[old].facts->source().bytes(), marked->name.text) != std::string_view::npos)
        continue;
      for (const Guard& guard : guards_of(*actor.change->after->node, step.span)) {
        if (guard.condition == nullptr) continue;
        for (const std::string& name : config_reads(*guard.condition)) {
          if (has_flag(story, name)) continue;
          Flag flag;
          flag.name = name;
          flag.guards = condition_words(*guard.condition, *actor.steps.after_source, guard.negated);
          flag.is_decided_here = true;
          story.flags.push_back(std::move(flag));
        }
      }
    }
  }
}

/// Where a title begins behind the part of the code that it is filed under: "fix(tensor_parallel): …", "data_utils: …".
std::size_t behind_scope(std::string_view title) {
  const std::size_t colon = title.find(": ");
  if (colon == std::string_view::npos) return 0;
  const std::string_view head = title.substr(0, colon);
  const std::string_view word = head.substr(0, head.find('('));
  return word.find(' ') == std::string_view::npos ? colon + 2 : 0;
}

/// Settings that the title may name: `some_setting`, `--some-setting`. Their names.
std::set<std::string> add_titled(const DocumentInputs& inputs, Story& story) {
  std::set<std::string> names;
  const std::string& title = inputs.title;
  const auto is_part = [](char c) { return is_name_char(c) || c == '-'; };
  for (std::size_t at = behind_scope(title); at < title.size();) {
    std::size_t end = at;
    while (end < title.size() && is_part(title[end])) ++end;
    std::string name = title.substr(at, end - at);
    // A part of a module's name or of a path is no setting.
    const bool is_part_of_path = at > 0 && (title[at - 1] == '.' || title[at - 1] == '/');
    at = end + 1;
    if (is_part_of_path) continue;
    const bool is_option = name.starts_with("--");
    if (is_option) name.erase(0, 2);
    if (name.size() < 5 || (!is_option && !contains(name, "_"))) continue;
    std::replace(name.begin(), name.end(), '-', '_');
    if (has_flag(story, name) || !names.insert(name).second) continue;
    Flag flag;
    flag.name = std::move(name);
    flag.is_decided_here = true;
    story.flags.push_back(std::move(flag));
  }
  return names;
}

/// The setting that `self.name` of a class holds, or is worked out from, under its own name: `self.name =
/// make(config.name)`. Null where no constructor of the class or of one above it takes it over so.
const Expr* taken_over_from(const Program& program, ClassId cls, std::string_view name, FunctionId& constructor) {
  const Expr* out = nullptr;
  for (const ClassId one : program.classes()[cls].linearized) {
    for (const FunctionId method : program.classes()[one].methods) {
      if (program.functions()[method].name != "__init__" || out != nullptr) continue;
      walk_of<Assign>(*program.functions()[method].node, Nested::kSkip, [&](const Assign* assign) {
        if (rules::self_attribute(assign->targets.front()) != name) return;
        const auto look = [&](const Attribute* read) {
          if (config_attribute(*read) == name) out = read, constructor = method;
        };
        if (const auto* whole = as<Attribute>(assign->value)) look(whole);
        walk_of<Attribute>(*assign->value, Nested::kSkip, look);
      });
    }
  }
  return out;
}

/// Settings that the title spells out in words ("export dtype" of `export_dtype`), and that changed lines of what
/// carries the change read, off a configuration or off `self`, which took them over from one.
void add_spelled_out(const DocumentInputs& inputs, const FlagDeclarations& declarations, Story& story,
                     std::set<std::string>& titled) {
  const Program& program = *inputs.after;
  const std::set<std::string> title = name_words(inputs.title);
  const auto is_spelled_out = [&](std::string_view name) {
    const std::set<std::string> words = name_words(name);
    return words.size() >= 2 && contains(name, "_") &&
           std::includes(title.begin(), title.end(), words.begin(), words.end());
  };
  for (const std::size_t index : story.central) {
    const Actor& actor = story.actors[index];
    if (actor.steps.after_source == nullptr || !actor.change->after || !actor.change->after->function.valid()) continue;
    const FunctionId function = actor.change->after->function;
    const ClassId owner = program.functions()[function].owner;
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept) continue;
      walk_of<Attribute>(*step.node, Nested::kSkip, [&](const Attribute* one) {
        const std::string_view name = one->name.text;
        if (!step.span.contains(one->span) || !is_spelled_out(name) || has_flag(story, name)) return;
        FunctionId reader = function;
        const Expr* read = config_attribute(*one) == name ? one : nullptr;
        if (read == nullptr && owner.valid() && rules::self_attribute(one) == name)
          read = taken_over_from(program, owner, name, reader);
        if (read == nullptr) return;
        Flag flag;
        flag.name = name;
        flag.is_decided_here = true;
        const ClassId declared_by = class_declaring(program, reader, *read, name);
        if (declared_by.valid()) declarations.fill_from_field(flag, declared_by);
        titled.insert(flag.name);
        story.flags.push_back(std::move(flag));
      });
    }
  }
}

/// Drops those of the names that are no settings: fields of data, and what functions are called, too.
void drop_no_settings(const Program& program, const std::set<std::string>& titled, Story& story) {
  std::erase_if(story.flags, [&](const Flag& flag) {
    if (!titled.contains(flag.name)) return false;
    const bool is_config = flag.owner.ends_with("Config") || flag.owner.ends_with("Args") || !flag.argument.empty();
    return !is_config || std::any_of(program.functions().begin(), program.functions().end(),
                                     [&](const program::Function& one) { return one.name == flag.name; });
  });
}

/// The first condition that asks for the setting; null where none does.
const DecidingCondition* first_asking(const Program& program, const std::vector<DecidingCondition>& conditions,
                                      const Flag& flag) {
  for (const auto settings : kByTelling) {
    for (const DecidingCondition& one : conditions) {
      const std::vector<ReadSetting>& reads = one.*settings;
      if (std::any_of(reads.begin(), reads.end(), [&](const ReadSetting& read) {
            return read.name == flag.name && is_field_of(program, flag, read.declared_by) &&
                   !is_of_other_script(program, flag, one.function);
          }))
        return &one;
    }
  }
  return nullptr;
}

/// A string literal without anything that has to be worked out: `"static"`.
bool is_plain_text(std::string_view source) {
  return source.size() >= 2 && (source.front() == '"' || source.front() == '\'') && source.back() == source.front() &&
         source.find('\\') == std::string_view::npos && source.find(source.front(), 1) == source.size() - 1;
}

/// What a setting is where nobody sets it, as far as its declaration, or that of its argument, shows; nothing where
/// code sets it afterwards, or another text decides.
std::optional<Value> value_unset(const Flag& flag, const Defaults& defaults, StoredSettings& stored,
                                 const FlagDeclarations& declarations) {
  // A part of a configuration is put in by code, or not.
  const bool is_part = flag.default_value == "None" && defaults.value_of_name(flag.name).kind == Value::Kind::kUnknown;
  // What code sets afterwards is not what was declared.
  if (stored.contains(flag.name) || is_part) return std::nullopt;
  const bool is_plain = flag.argument_default == "True" || flag.argument_default == "False";
  if (!flag.argument_default.empty() && !is_plain) return std::nullopt;
  const Expr* expression = is_plain ? nullptr : declarations.default_expression(flag);
  const std::string& default_text = is_plain ? flag.argument_default : flag.default_value;
  if (expression != nullptr) return value_of(expression);
  if (default_text == "True" || default_text == "False")
    return Value{Value::Kind::kBool, default_text == "True", default_text};
  if (default_text == "None") return Value{Value::Kind::kNone, false, "None"};
  if (is_plain_text(default_text))
    return Value{Value::Kind::kText, default_text.size() > 2, default_text.substr(1, default_text.size() - 2)};
  return Value();
}

void decide_defaults(const Program& program, const AskedSettings& asked,
                     const std::vector<DecidingCondition>& conditions, const FlagDeclarations& declarations,
                     Story& story) {
  const Defaults defaults(program);
  StoredSettings stored(program, defaults);
  // Beside its own the values of others that the same condition asks for: `a is not None or b is not None`.
  const auto value_beside = [&](std::string_view name) {
    const Flag* only = nullptr;
    for (const Flag& one : story.flags) {
      if (one.name != name) continue;
      if (only != nullptr || one.more_may_read || one.guards.empty()) return Value();
      only = &one;
    }
    return only == nullptr ? Value() : value_unset(*only, defaults, stored, declarations).value_or(Value());
  };
  for (Flag& flag : story.flags) {
    if (flag.guards.empty()) continue;
    const std::optional<Value> value = value_unset(flag, defaults, stored, declarations);
    if (!value) {
      flag.runs_by_default.reset();
      continue;
    }
    const auto lookup = [&](std::string_view name) { return name == flag.name ? *value : Value(); };
    const auto with_others = [&](std::string_view name) { return name == flag.name ? *value : value_beside(name); };
    const auto without = [&](std::string_view name) { return name == flag.name ? Value() : value_beside(name); };
    const DecidingCondition* found = first_asking(program, conditions, flag);
    if (found == nullptr) continue;
    auto result = holds(*found->expression, lookup);
    // What others decide whatever this one is, is nothing to say of it.
    if (!result && !holds(*found->expression, without)) result = holds(*found->expression, with_others);
    if (!result) {
      result = holds_with(*found->expression, [&](const Expr& part) {
        return asked.held_as_it_is(found->function, part).name == flag.name ? *value : Value();
      });
    }
    if (result) flag.runs_by_default = *result != found->negated;
  }
}

/// Of the new conditions of one function, `a or b` comes after one that asks for `a` alone: that says what it turns on.
void put_plain_ones_first(std::vector<DecidingCondition>& conditions) {
  const auto is_or = [](const DecidingCondition& one) {
    const auto* both = as<BoolOp>(one.expression);
    return one.is_changed && !one.negated && both != nullptr && both->op == BoolOperator::kOr;
  };
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    if (!is_or(conditions[i])) continue;
    const auto* both = as<BoolOp>(conditions[i].expression);
    for (std::size_t k = i + 1; k < conditions.size(); ++k) {
      const DecidingCondition& other = conditions[k];
      if (!other.is_changed || other.negated || other.function != conditions[i].function ||
          other.scope != conditions[i].scope || other.central != conditions[i].central)
        continue;
      const std::string asked = one_line_whole(*other.source, *other.expression);
      const bool is_part = std::any_of(both->values.begin(), both->values.end(), [&](const Expr* value) {
        return one_line_whole(*conditions[i].source, *value) == asked;
      });
      if (!is_part) continue;
      std::swap(conditions[i], conditions[k]);
      break;
    }
  }
}

}  // namespace

/// A field that takes over an argument which a parser declared by its spelling, and declares no longer, is the old
/// setting under another declaration.
static void keep_old_arguments(const DocumentInputs& inputs, Story& story) {
  const auto declares = [](const program::Module& module, std::string_view argument) {
    const std::string_view bytes = module.facts->source().bytes();
    return is_quoted_in(bytes, argument) && find_text(bytes, "add_argument(") != std::string_view::npos;
  };
  for (Flag& flag : story.flags) {
    if (!flag.is_new || flag.owner.empty() || flag.argument.empty()) continue;
    for (const change::FileSummary& file : inputs.change->files) {
      const program::ModuleId was = inputs.before->find_path(file.file->old_path);
      const program::ModuleId now = inputs.after->find_path(file.file->new_path);
      if (!was.valid() || !now.valid() || program::is_test_path(file.file->old_path) ||
          !declares(inputs.before->modules()[was], flag.argument) ||
          declares(inputs.after->modules()[now], flag.argument))
        continue;
      flag.is_new = false;
      flag.is_changed = true;
    }
  }
}

/// A new argument of another name that only sets a new field is told as the argument of that field.
static void drop_handed_arguments(Story& story) {
  std::erase_if(story.flags, [&](const Flag& handed) {
    if (!handed.is_new || !handed.owner.empty() || handed.argument.empty()) return false;
    const auto field = std::find_if(story.flags.begin(), story.flags.end(), [&](const Flag& one) {
      return one.is_new && !one.owner.empty() && one.argument == handed.argument && one.name != handed.name;
    });
    if (field == story.flags.end()) return false;
    if (field->help.empty()) field->help = handed.help;
    return true;
  });
}

void find_flags(const DocumentInputs& inputs, Story& story) {
  const FlagDeclarations declarations(*inputs.after, source_paths(*inputs.change));
  add_changed_fields(inputs, declarations, story);
  add_changed_arguments(inputs, story);
  add_switches(inputs, story);
  const auto count_new = [&] {
    return static_cast<std::size_t>(std::count_if(
        story.flags.begin(), story.flags.end(), [](const Flag& flag) { return flag.is_new && flag.derived.empty(); }));
  };
  const std::size_t all_new = count_new();
  // What is new comes first, and what nobody is to set last.
  std::stable_partition(story.flags.begin(), story.flags.end(), [](const Flag& flag) { return flag.is_new; });
  std::stable_partition(story.flags.begin(), story.flags.end(), [](const Flag& flag) { return flag.derived.empty(); });
  if (story.flags.size() > 2 * kMostFlags) story.flags.resize(2 * kMostFlags);
  const std::size_t looked_at = count_new();
  std::vector<DecidingCondition> conditions = conditions_of(inputs, story);
  put_plain_ones_first(conditions);
  // A change that does nothing else is told by what it checks.
  const auto is_check = [](const DecidingCondition& one) { return one.is_check; };
  const auto is_changed = [](const DecidingCondition& one) { return one.is_changed && !one.is_check; };
  if (std::any_of(conditions.begin(), conditions.end(), is_changed)) std::erase_if(conditions, is_check);
  const AskedSettings asked(*inputs.after);
  const SettingsBehind behind(*inputs.after, asked);
  for (DecidingCondition& one : conditions) {
    one.behind = behind.of(one.function, *one.expression, one.negated);
    if (one.only_behind) continue;
    const auto settings = [&](bool through_names) {
      return one.is_held ? asked.of_value(one.function, *one.expression, through_names)
                         : asked.of(one.function, *one.expression, through_names);
    };
    one.reads = settings(false);
    one.stands_for = settings(true);
  }
  add_guards(*inputs.after, conditions, declarations, story);
  add_choosing(*inputs.after, declarations, story);
  std::set<std::string> titled = add_titled(inputs, story);
  add_spelled_out(inputs, declarations, story, titled);
  for (Flag& flag : story.flags) declarations.describe(flag);
  // A name that is declared nowhere is no configuration (a local called args, say).
  std::erase_if(story.flags, [](const Flag& flag) { return flag.place.empty(); });
  // What has to be given anyway switches nothing, nor does a part of a configuration as a whole.
  std::erase_if(story.flags, [](const Flag& flag) {
    return flag.is_behind &&
           ((flag.default_value.empty() && flag.argument.empty()) || flag.default_value.ends_with(')'));
  });
  keep_old_arguments(inputs, story);
  drop_handed_arguments(story);
  drop_no_settings(*inputs.after, titled, story);
  decide_defaults(*inputs.after, asked, conditions, declarations, story);
  story.new_flags = count_new() + (all_new - looked_at);
  // A kept condition around a companion's changed lines tells little of the change, unless it closes all of them and
  // nothing else says what turns the change on.
  const std::size_t lead = story.lead();
  const auto closes = [](const Flag& flag) { return flag.guards_all && flag.runs_by_default == false; };
  const bool is_told = std::any_of(story.flags.begin(), story.flags.end(), [&](const Flag& flag) {
    return flag.is_new || flag.is_changed || (!flag.guards.empty() && flag.guarded == lead);
  });
  std::erase_if(story.flags, [&](const Flag& flag) {
    return !(closes(flag) && !is_told) && !flag.is_new && !flag.is_changed && !flag.is_decided_here &&
           flag.guarded != lead;
  });
  std::stable_sort(story.flags.begin(), story.flags.end(), [&](const Flag& a, const Flag& b) {
    const auto key = [&](const Flag& one) {
      return std::make_tuple(!one.derived.empty(), !one.is_new, is_of_script(*inputs.after, one), !one.is_changed,
                             !closes(one), !one.is_decided_here, one.guards.empty(), one.runs_by_default == true);
    };
    return key(a) < key(b);
  });
  if (story.flags.size() > kMostFlags) story.flags.resize(kMostFlags);
  GivenInFiles given(inputs.after_files, *inputs.after);
  for (Flag& flag : story.flags) {
    if (flag.guards.empty()) continue;
    flag.set_elsewhere = set_elsewhere(*inputs.after, flag);
    if (flag.set_elsewhere.empty() && flag.guarded < story.entries.size())
      flag.set_elsewhere = set_on_way(*inputs.after, story.entries[flag.guarded], flag);
    // What holds by default runs whoever gives what.
    if (flag.runs_by_default == false && !flag.is_new) flag.given_in = given.words(flag.argument);
  }
  story.awakened = awakened_settings(inputs, story.actors, declarations);
}

}  // namespace lockstep::report
