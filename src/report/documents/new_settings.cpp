#include "report/documents/new_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/parts.h"
#include "report/story/change_steps.h"
#include "report/story/changes.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMostChecks = 3;  ///< Of one setting.

bool reads(const Node& node, std::string_view name) {
  bool out = false;
  walk_of<Attribute>(node, Nested::kSkip, [&](const Attribute* one) { out = out || one->name.text == name; });
  return out;
}

/// `args.x = False`
bool only_sets_constant(const Step& step) {
  const auto* assign = as<Assign>(step.node);
  return assign != nullptr && assign->targets.size() == 1 && is<Attribute>(assign->targets.front()) &&
         is<Constant>(assign->value);
}

/// Whether the new step asks for a setting only to refuse it, to warn, or to give it another value.
bool checks(const std::vector<Step>& steps, std::size_t index, std::string_view setting) {
  const Step& step = steps[index];
  if (step.status != StepStatus::kAdded || is_inside_status(steps, index, StepStatus::kAdded)) return false;
  if (const auto* claim = as<Assert>(step.node)) return reads(*claim->test, setting);
  const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
  if (branch == nullptr || !branch->orelse.empty()) return false;
  bool acts = false;
  bool is_asked = reads(*branch->condition, setting);
  for (std::size_t i = index + 1; i < steps.size() && steps[i].depth > step.depth; ++i) {
    const Step& inner = steps[i];
    if (const auto* deeper = as<If>(inner.node); inner.kind == StepKind::kIf && deeper != nullptr) {
      is_asked = is_asked || reads(*deeper->condition, setting);
      continue;
    }
    if (const auto* claim = as<Assert>(inner.node)) is_asked = is_asked || reads(*claim->test, setting);
    const auto* statement = as<ExprStmt>(inner.node);
    const bool warns = statement != nullptr && rules::is_log_call(statement->value);
    if (!warns && !is<Raise>(inner.node) && !is<Assert>(inner.node) && !only_sets_constant(inner)) return false;
    acts = true;
  }
  return acts && is_asked;
}

/// "`a.py:3` in `f`: when …, raises …" of each place outside the central functions where the change checks the setting.
std::vector<std::string> checks_of(const DocumentInputs& inputs, const Story& story, const Flag& flag) {
  std::vector<std::string> out;
  for (const Actor& actor : story.actors) {
    if (!actor.is_function() || actor.is_added() || actor.is_removed() || actor.role == Role::kTest ||
        actor.role == Role::kCentral || actor.steps.after_source == nullptr)
      continue;
    for (std::size_t i = 0; i < actor.steps.after.size() && out.size() < kMostChecks; ++i) {
      if (!checks(actor.steps.after, i, flag.name)) continue;
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
bool is_of_tool(const Flag& flag) {
  return flag.owner.empty() && (flag.place.starts_with("`examples/") || flag.place.starts_with("`tools/"));
}

bool is_told(const Flag& flag) { return flag.is_new && flag.derived.empty() && !is_of_tool(flag); }

}  // namespace

bool is_documented_in_what(const Flag& flag, const OwnWords& words) {
  if (!is_told(flag) || flag.help.empty()) return false;
  // What the author says of it elsewhere says it better, or the same.
  return std::none_of(words.purposes.begin(), words.purposes.end(), [&](const Saying& saying) {
    return std::any_of(saying.paragraphs.begin(), saying.paragraphs.end(),
                       [&](const std::string& one) { return contains(one, flag.name); });
  });
}

std::vector<std::string> setting_items(const DocumentInputs& inputs, const Story& story, const OwnWords& words) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> out;
  Story others = story;  // Those of which no more is told than the name.
  for (const Flag& flag : story.flags) {
    if (!is_told(flag) || out.size() == kMost) continue;
    const std::vector<std::string> checked = checks_of(inputs, story, flag);
    const bool has_words = is_documented_in_what(flag, words);
    if (!has_words && checked.empty()) continue;
    std::string item = fmt::format("New setting {}", code(flag.name));
    std::vector<std::string> known;
    if (!flag.argument.empty()) known.push_back(fmt::format("argument {}", code(flag.argument)));
    if (!flag.default_value.empty())
      known.push_back(fmt::format("default {}{}", code(flag.default_value),
                                  flag.is_fixed ? ", which its argument cannot change" : ""));
    if (!known.empty()) item += fmt::format(" ({})", join(known, ", "));
    item += has_words ? fmt::format(": \u201c{}\u201d", from_backquotes(flag.help)) : ".";
    if (!checked.empty()) item += fmt::format(" What checks it: {}.", join(checked, "; "));
    out.push_back(std::move(item));
    others.flags.erase(std::find_if(others.flags.begin(), others.flags.end(),
                                    [&](const Flag& one) { return one.is_new && one.name == flag.name; }));
    --others.new_flags;
  }
  if (const std::string rest = settings_text(others); !rest.empty()) out.push_back(rest);
  return out;
}

}  // namespace lockstep::report
