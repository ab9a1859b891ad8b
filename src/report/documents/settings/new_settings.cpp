#include "report/documents/settings/new_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/parts.h"
#include "report/documents/settings/brought_options.h"
#include "report/documents/settings/flipped_conditions.h"
#include "report/documents/settings/unset_settings.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/story/settings/flag_declarations.h"
#include "report/story/wording/change_steps.h"
#include "report/story/wording/changes.h"
#include "rules/syntax/expressions.h"

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
      const std::string where =
          where_words(*actor.change->after->node, actor.steps.after[i], *actor.steps.after_source);
      out.push_back(fmt::format("{} in {}{}: {}", place(actor.change->after->path, actor.steps.after[i].first_line),
                                code(short_name(inputs, *actor.change)), where.empty() ? "" : ", where " + where,
                                words));
    }
  }
  return out;
}

/// An argument of a script beside the training: its help says little of the change.
bool is_of_tool(const program::Program& program, const Flag& flag) {
  return flag.owner.empty() && (program::is_helper_path(flag.path) || is_of_script(program, flag));
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

namespace {

/// "`make_options` leaves `x` out of the options of `Config` no longer."
std::string brought_words(const DocumentInputs& inputs, const BroughtOption& one) {
  return fmt::format("{} leaves {} out of the options of {} no longer.", code(short_name(*inputs.after, one.maker)),
                     code(one.name), code(inputs.after->classes()[one.cls].name));
}

const BroughtOption* option_for(const std::vector<BroughtOption>& brought, const Flag& flag) {
  const auto found =
      std::find_if(brought.begin(), brought.end(), [&](const BroughtOption& one) { return one.name == flag.name; });
  return found == brought.end() ? nullptr : &*found;
}

/// "The setting `x` (`config.py:6`, new argument `--x`, default `True`) is read now, in `f`; …"
std::string awakened_words(const Flag& flag, bool is_argument_new) {
  constexpr std::size_t kMostReaders = 2;
  std::string known = flag.place;
  if (!flag.argument.empty())
    known += fmt::format(", {} {}", is_argument_new ? "new argument" : "argument", code(flag.argument));
  if (!flag.default_value.empty()) known += fmt::format(", default {}", code(flag.default_value));
  std::vector<std::string> readers = flag.reader_names;
  if (readers.size() > kMostReaders) readers.resize(kMostReaders);
  const std::string where =
      readers.empty()
          ? ""
          : fmt::format(", {} {}", readers.size() < flag.readers ? "at least in" : "in", join_words(readers));
  return fmt::format("The setting {} ({}) is read now{}; before the change, no Python code outside tests read it.",
                     code(flag.name), known, where);
}

std::vector<std::string> awakened_texts(const DocumentInputs& inputs, const Story& story, bool with_documentation) {
  std::vector<std::string> out;
  const std::vector<BroughtOption> brought = brought_options(inputs, story);
  const auto add = [&](std::string text, const Flag& flag) {
    if (with_documentation && !flag.help.empty()) text += fmt::format(" \u201c{}\u201d", from_backquotes(flag.help));
    out.push_back(std::move(text));
  };
  for (const Flag& flag : story.awakened) add(awakened_words(flag, option_for(brought, flag) != nullptr), flag);
  constexpr std::size_t kMost = 3;
  for (const BroughtOption& one : brought) {
    const bool is_told = std::any_of(story.awakened.begin(), story.awakened.end(),
                                     [&](const Flag& flag) { return flag.name == one.name; });
    if (is_told || out.size() == kMost) continue;
    Flag flag;
    flag.name = one.name;
    FlagDeclarations(*inputs.after).fill_from_field(flag, one.cls);
    std::string known = flag.place;
    if (!flag.default_value.empty())
      known += fmt::format("{}default {}", known.empty() ? "" : ", ", code(flag.default_value));
    add(fmt::format("New option {}{}: {}", code(one.argument), known.empty() ? "" : fmt::format(" ({})", known),
                    brought_words(inputs, one)),
        flag);
  }
  return out;
}

}  // namespace

std::vector<std::string> awakened_items(const DocumentInputs& inputs, const Story& story) {
  return awakened_texts(inputs, story, true);
}

std::vector<std::string> awakened_sentences(const DocumentInputs& inputs, const Story& story) {
  return awakened_texts(inputs, story, false);
}

void add_awakened_settings(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  if (story.awakened.empty()) return;
  const std::vector<BroughtOption> brought = brought_options(inputs, story);
  for (const Flag& flag : story.awakened) {
    // Only what decides by it whether something is done: another condition may keep it from runs all the same.
    const bool decides = std::any_of(story.flags.begin(), story.flags.end(), [&](const Flag& one) {
      return one.name == flag.name && !one.guards.empty() && one.runs_by_default != false;
    });
    if (!decides || flag.default_value != "True") continue;
    const bool is_new = option_for(brought, flag) != nullptr;
    const bool switches_off = flag.argument.starts_with("--no-") || flag.argument_clears;
    std::string status = "Open";
    if (switches_off)
      status = fmt::format("{}{} switches it off", code(flag.argument), is_new ? ", an option that is new," : "");
    risks.push_back({RiskKind::kCompatibility,
                     fmt::format("{} is {} by default, and nothing read it before: existing runs do what it switches "
                                 "on, too, where all else that is asked for there holds.",
                                 code(flag.name), code(flag.default_value)),
                     status, false});
  }
}

}  // namespace lockstep::report
