#include "report/documents/new_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/flipped_conditions.h"
#include "report/documents/parts.h"
#include "report/documents/unset_settings.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/source/given_arguments.h"
#include "report/story/change_steps.h"
#include "report/story/changes.h"
#include "report/story/flag_declarations.h"
#include "report/ways/given_settings.h"
#include "rules/bindings.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMostChecks = 3;  ///< Of one setting.

/// Asks of steps whether they check one setting.
class Checks {
 public:
  Checks(const DocumentInputs& inputs, const Actor& actor, const Flag& flag) : flag_(flag), steps_(actor.steps.after) {
    const program::FunctionId function = actor.change->after->function;
    const program::ClassId cls = function.valid() ? inputs.after->functions()[function].owner : program::ClassId();
    is_own_ = cls.valid() && !flag.owner.empty() && inputs.after->derives_from(cls, flag.owner);
    is_own_ = is_own_ || (cls.valid() && inputs.after->classes()[cls].qualified_name == flag.owner);
  }

  /// Whether the new step asks for the setting only to refuse it, to warn, or to give it another value.
  [[nodiscard]] bool at(std::size_t index) const {
    const Step& step = steps_[index];
    if (step.status != StepStatus::kAdded || is_inside_status(steps_, index, StepStatus::kAdded)) return false;
    if (const auto* claim = as<Assert>(step.node)) return reads(*claim->test);
    const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
    if (branch == nullptr || !branch->orelse.empty()) return false;
    if (!only_checks(steps_, index, [&](const Attribute& one) { return is_it(one); })) return false;
    bool is_asked = reads(*branch->condition);
    for (std::size_t i = index + 1; i < end_of(steps_, index); ++i) {
      const auto* deeper = as<If>(steps_[i].node);
      const auto* claim = as<Assert>(steps_[i].node);
      is_asked =
          is_asked || (deeper != nullptr && reads(*deeper->condition)) || (claim != nullptr && reads(*claim->test));
    }
    return is_asked;
  }

 private:
  /// The setting, read off a configuration or off the object whose class declares it.
  [[nodiscard]] bool is_it(const Attribute& one) const {
    if (one.name.text != flag_.name) return false;
    const auto* object = as<Name>(one.value);
    return (is_own_ && object != nullptr && object->id == "self") || !config_attribute(one).empty();
  }

  [[nodiscard]] bool reads(const Node& node) const {
    const auto* whole = as<Attribute>(&node);
    bool out = whole != nullptr && is_it(*whole);
    walk_of<Attribute>(node, Nested::kSkip, [&](const Attribute* one) { out = out || is_it(*one); });
    return out;
  }

  const Flag& flag_;
  const std::vector<Step>& steps_;
  bool is_own_ = false;  ///< The function is a method of the class that declares the setting.
};

/// "`a.py:3` in `f`: when …, raises …" of each place outside the central functions where the change checks the setting.
std::vector<std::string> checks_of(const DocumentInputs& inputs, const Story& story, const Flag& flag) {
  std::vector<std::string> out;
  for (const Actor& actor : story.actors) {
    if (!actor.is_function() || actor.is_added() || actor.is_removed() || actor.role == Role::kTest ||
        actor.role == Role::kCentral || actor.steps.after_source == nullptr)
      continue;
    const Checks checks(inputs, actor, flag);
    for (std::size_t i = 0; i < actor.steps.after.size() && out.size() < kMostChecks; ++i) {
      if (!checks.at(i)) continue;
      WordsContext after = context_after(inputs, actor);
      after.is_brief = true;
      const std::string words = added_words(actor, i, context_before(inputs, actor), after, 3);
      if (words.empty()) continue;
      out.push_back(fmt::format("{} in {}: {}", place(actor.change->after->path, actor.steps.after[i].first_line),
                                code(short_name(inputs, *actor.change)), words));
    }
  }
  return out;
}

/// An argument of a script beside the training: its help says little of the change.
bool is_of_tool(const program::Program& program, const Flag& flag) {
  return flag.owner.empty() && (program::is_helper_path(flag.path) || is_of_script(program, flag));
}

/// Whether no Python code outside tests but the function itself has this name in its text.
bool is_named_nowhere_else(const program::Program& program, const change::EntityChange& entity, std::string_view name) {
  for (const program::Module& module : program.modules()) {
    if (program::is_test_path(module.path)) continue;
    const python::FileFacts& facts = *module.facts;
    const bool is_own = module.path == entity.after->path;
    for (std::size_t at = facts.find_name(name); at != std::string_view::npos;
         at = facts.find_name(name, at + name.size())) {
      if (!is_own || !entity.after->node->span.contains(
                         {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + name.size())}))
        return false;
    }
  }
  return true;
}

bool is_told(const program::Program& program, const Flag& flag) {
  return flag.is_new && flag.derived.empty() && !is_of_tool(program, flag);
}

}  // namespace

bool is_documented_in_what(const program::Program& program, const Flag& flag, const OwnWords& words) {
  if (!is_told(program, flag) || flag.help.empty()) return false;
  // What the author says of it elsewhere says it better, or the same.
  return std::none_of(words.purposes.begin(), words.purposes.end(), [&](const Saying& saying) {
    return std::any_of(saying.paragraphs.begin(), saying.paragraphs.end(),
                       [&](const std::string& one) { return contains(one, flag.name); });
  });
}

std::vector<std::string> setting_items(const DocumentInputs& inputs, const Story& story, const OwnWords& words) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> out;
  std::vector<Flag> others = story.flags;  // Those of which no more is told than the name.
  for (const Flag& flag : story.flags) {
    if (!is_told(*inputs.after, flag) || out.size() == kMost) continue;
    const std::vector<std::string> checked = checks_of(inputs, story, flag);
    const bool has_words = is_documented_in_what(*inputs.after, flag, words);
    if (!has_words && checked.empty()) continue;
    std::string item = fmt::format("New setting {}", code(flag.name));
    std::vector<std::string> known;
    if (!flag.argument.empty()) known.push_back(argument_words(flag));
    if (!flag.default_value.empty())
      known.push_back(fmt::format("default {}{}", code(flag.default_value),
                                  flag.is_fixed ? ", which its argument cannot change" : ""));
    if (!known.empty()) item += fmt::format(" ({})", join(known, ", "));
    item += has_words ? fmt::format(": \u201c{}\u201d", from_backquotes(flag.help)) : ".";
    const HookSetters setters = setters_of_hook(inputs, flag);
    if (setters == HookSetters::kNobody) item += " No Python code of the repository, tests included, sets it.";
    if (setters == HookSetters::kTestsAlone) item += " Outside tests, no Python code sets it.";
    if (!checked.empty()) item += fmt::format(" What checks it: {}.", join(checked, "; "));
    out.push_back(std::move(item));
    std::erase_if(others,
                  [&](const Flag& one) { return one.is_new && one.name == flag.name && one.owner == flag.owner; });
  }
  const std::size_t told = story.flags.size() - others.size();
  if (const std::string rest = settings_text(others, story.new_flags - told); !rest.empty()) out.push_back(rest);
  for (const Flag& flag : story.flags) {
    constexpr std::size_t kMostFlips = 4;
    const std::vector<std::string> flips = flipped_conditions(inputs, flag, kMostFlips);
    if (flips.empty()) continue;
    std::string item = fmt::format("Where {} is not set, unchanged code decides otherwise:", code(flag.name));
    for (const std::string& one : flips) item = with_below(std::move(item), as_sentence(one));
    out.push_back(std::move(item));
  }
  return out;
}

std::string awakened_words(const Flag& flag) {
  std::string known = flag.place;
  if (!flag.argument.empty()) known += fmt::format(", argument {}", code(flag.argument));
  if (!flag.default_value.empty()) known += fmt::format(", default {}", code(flag.default_value));
  return fmt::format("The setting {} ({}) is read now; before the change, no Python code outside tests read it.",
                     code(flag.name), known);
}

namespace {

/// Whether the function is called outside tests, and no such call gives it the parameter.
bool is_given_by_tests_only(const program::Program& program, program::FunctionId function, std::string_view name) {
  bool is_called = false;
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    if (program::is_test_path(program.module_of(site.caller).path)) continue;
    is_called = true;
    if (given_by(program, site, function, name).how != rules::Given::How::kNothing) return false;
  }
  return is_called;
}

/// The parameter's default as it is written, where every call outside tests leaves it at that, through whatever
/// function hands it on; empty where one may not.
std::string kept_default(const program::Program& program, program::FunctionId function, const Parameter& parameter) {
  const GivenValues given = GivenSettings(program).of(function, parameter.name.text);
  if (given.has_others || !given.settings.empty() || given.constants.empty()) return {};
  const Value kept = value_of(parameter.default_value);
  const bool is_kept = std::all_of(given.constants.begin(), given.constants.end(),
                                   [&](const Expr* one) { return is_same_value(value_of(one), kept); });
  return is_kept ? one_line(source_of(program, function), *parameter.default_value, 30) : std::string();
}

std::size_t blanks_in(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), ' '));
}

bool takes_anew(const change::EntityChange& entity, std::string_view name) {
  const auto* now = entity.after ? as<FunctionDef>(entity.after->node) : nullptr;
  const auto* was = entity.before ? as<FunctionDef>(entity.before->node) : nullptr;
  return rules::parameter_named(now, name) != nullptr && rules::parameter_named(was, name) == nullptr;
}

/// The functions of the change that newly take the parameter, too, and hand it to `function`, as marked names.
std::vector<std::string> handing_on(const DocumentInputs& inputs, program::FunctionId function, std::string_view name) {
  std::vector<std::string> names;
  const auto& calls = inputs.after->callers_of(function);
  for (const change::EntityChange& other : inputs.change->entities) {
    if (!takes_anew(other, name) || !other.after->function.valid() || program::is_test_path(other.after->path))
      continue;
    const bool hands_on = std::any_of(calls.begin(), calls.end(), [&](const program::CallId id) {
      const program::CallSite& site = inputs.after->calls()[id];
      const auto* call = as<python::Call>(site.node);
      const Expr* given = call == nullptr ? nullptr : rules::keyword_value(*call, name);
      const auto* passed = given == nullptr ? nullptr : as<python::Name>(given);
      return site.caller == other.after->function && passed != nullptr && passed->id == name;
    });
    if (hands_on) names.push_back(code(short_name(inputs, other)));
  }
  return names;
}

/// Documentation of a parameter, and whose it is.
struct ParameterWords {
  std::string text;
  const change::EntityChange* of = nullptr;
};

/// What the function says of its new parameter; where another one that newly takes it, too, says clearly more, that.
ParameterWords best_words(const DocumentInputs& inputs, const change::EntityChange& entity, std::string_view name) {
  ParameterWords best{docstring_parameter(docstring_text(entity.after->node), name, true), &entity};
  const std::size_t clearly_more = 2 * blanks_in(best.text);
  for (const change::EntityChange& other : inputs.change->entities) {
    if (&other == &entity || !takes_anew(other, name) || program::is_test_path(other.after->path)) continue;
    std::string text = docstring_parameter(docstring_text(other.after->node), name, true);
    if (blanks_in(text) > std::max(clearly_more, blanks_in(best.text))) best = {std::move(text), &other};
  }
  return best;
}

}  // namespace

std::string NewParameters::words(const Actor& actor) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kMostLookedAt = 4;  // Each asks the text of the whole repository.
  const change::EntityChange& entity = *actor.change;
  const auto* now = entity.after ? as<FunctionDef>(entity.after->node) : nullptr;
  if (now == nullptr || !entity.before || !is<FunctionDef>(entity.before->node)) return {};
  std::string out;
  std::size_t told = 0;
  std::size_t looked_at = 0;
  std::vector<std::string> ungiven;
  const auto add = [&](std::string sentence) {
    if (told_.insert(sentence).second) out += " " + sentence;
  };
  for (const Parameter* parameter : now->parameters->all) {
    const std::string_view name = parameter->name.text;
    if (!takes_anew(entity, name) || parameter->default_value == nullptr) continue;
    if (told == kMost || looked_at++ == kMostLookedAt) break;
    const ParameterWords documented = best_words(inputs_, entity, name);
    // Fewer words than these only say its name again.
    const bool says = blanks_in(documented.text) >= 4;
    const bool is_idle = is_named_nowhere_else(*inputs_.after, entity, name);
    const program::FunctionId function = entity.after->function;
    std::string kept;
    if (!is_idle && function.valid()) {
      if (is_given_by_tests_only(*inputs_.after, function, name)) {
        ungiven.push_back(code(name));
      } else {
        kept = kept_default(*inputs_.after, function, *parameter);
      }
    }
    if (says) {
      const std::string quoted = from_backquotes(documented.text);
      add(documented.of == &entity ? fmt::format("Of {} its documentation says: \u201c{}\u201d", code(name), quoted)
                                   : fmt::format("Of {} the documentation of {} says: \u201c{}\u201d", code(name),
                                                 code(short_name(inputs_, *documented.of)), quoted));
    }
    if (is_idle) add(fmt::format("No other Python code outside tests names {}.", code(name)));
    if (!kept.empty()) {
      const std::vector<std::string> handing = handing_on(inputs_, function, name);
      const std::string stays =
          fmt::format("In all calls outside tests that were found, {} stays at {}", code(name), code(kept));
      const bool is_one = handing.size() == 1;
      const std::string also = handing.empty()
                                   ? std::string(", through whatever hands it on.")
                                   : fmt::format(", also where {} {} a new {} of {} own on.", join_words(handing),
                                                 is_one ? "hands" : "hand", code(name), is_one ? "its" : "their");
      if (told_.insert(stays).second) out += " " + stays + also;
    }
    told += says || is_idle || !kept.empty() ? 1 : 0;
  }
  if (!ungiven.empty()) add(fmt::format("No call outside tests that was found gives {}.", join_words(ungiven, "or")));
  return out;
}

}  // namespace lockstep::report
