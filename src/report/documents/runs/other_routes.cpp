#include "report/documents/runs/other_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "report/document.h"
#include "report/documents/runs/ways.h"
#include "report/source/code.h"
#include "report/ways/conditions/condition_kinds.h"
#include "report/ways/conditions/stored_settings.h"

namespace lockstep::report {

namespace {

/// Whether a script leads to a function that the change alters, by calls alone: what is registered or handed on may be
/// called by others.
bool is_altered_on_way(const Story& story, std::size_t index) {
  const Actor& actor = story.actor(index);
  const EntryPath& path = story.entries[index];
  return actor.is_function() && !actor.is_added() && !actor.is_removed() && !actor.change->is_cosmetic() &&
         path.frames.size() > 1 && path.kind == program::EntryKind::kScript && !path.is_definition &&
         path.missing_import.empty() &&
         std::none_of(path.frames.begin(), path.frames.end(),
                      [](const PathFrame& frame) { return frame.handing != Handing::kNone; });
}

/// The settings that all changed steps of the function ask for, as guards; empty where they stand in the old version.
std::vector<Guard> settings_around(const program::Program& program, const EntryPath& path) {
  if (path.exits_before.valid()) return {};
  std::vector<Guard> out;
  for (const Guard& guard : path.exits) {
    if (kind_of_condition(program, path.frames.back().function, *guard.condition) == ConditionKind::kSetting)
      out.push_back(guard);
  }
  return out;
}

/// Of some conditions: which are known to hold where nobody sets anything, and whether one is known not to.
struct ByDefault {
  std::vector<Guard> open;
  bool is_closed = false;
};

ByDefault by_default(DeclaredSettings& known, const std::vector<Guard>& guards) {
  ByDefault out;
  for (const Guard& guard : guards) {
    if (known.stored.are_read_in(*guard.condition)) continue;
    const std::optional<bool> holds = known.defaults.holds(*guard.condition);
    if (holds && *holds != guard.negated) out.open.push_back(guard);
    out.is_closed = out.is_closed || (holds && *holds == guard.negated);
  }
  return out;
}

std::size_t calls_off_by_default(const EntryPath& path) {
  return static_cast<std::size_t>(std::count_if(
      path.frames.begin(), path.frames.end(), [](const PathFrame& frame) { return frame.off_by_default != nullptr; }));
}

/// Whether neither function stands on the way of the other, and no one function calls both. Both ways start alike: that
/// they part is one line then.
bool is_another_way(const EntryPath& path, const EntryPath& lead) {
  constexpr std::size_t kAlike = 2;
  if (path.frames.size() <= kAlike || lead.frames.size() <= kAlike) return false;
  for (std::size_t i = 0; i < kAlike; ++i) {
    if (path.frames[i].function != lead.frames[i].function) return false;
  }
  const auto has = [](const EntryPath& way, program::FunctionId function) {
    return std::any_of(way.frames.begin(), way.frames.end(),
                       [&](const PathFrame& frame) { return frame.function == function; });
  };
  return !has(path, lead.frames.back().function) && !has(lead, path.frames.back().function) &&
         path.frames[path.frames.size() - 2].function != lead.frames[lead.frames.size() - 2].function;
}

/// Whether the way, or all that changes at its end, stands under a condition that reads the same.
bool asks_the_same(const program::Program& program, const EntryPath& path, const std::string& text) {
  const auto is_same = [&](program::FunctionId function, const Guard& guard) {
    return guard.condition != nullptr && one_line_whole(source_of(program, function), *guard.condition) == text;
  };
  for (const PathFrame& frame : path.frames) {
    if (std::any_of(frame.guards.begin(), frame.guards.end(),
                    [&](const Guard& guard) { return is_same(frame.function, guard); }))
      return true;
  }
  return !path.exits_before.valid() && std::any_of(path.exits.begin(), path.exits.end(), [&](const Guard& guard) {
    return is_same(path.frames.back().function, guard);
  });
}

}  // namespace

std::size_t first_route(const DocumentInputs& inputs, const Story& story, std::size_t lead) {
  if (!is_altered_on_way(story, lead)) return lead;
  const program::Program& program = *inputs.after;
  const EntryPath& path = story.entries[lead];
  const std::vector<Guard> asked = settings_around(program, path);
  if (asked.empty()) return lead;
  std::optional<DeclaredSettings> declared;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    if (i == lead || !is_altered_on_way(story, i) || !is_another_way(story.entries[i], path)) continue;
    const std::vector<Guard> others = settings_around(program, story.entries[i]);
    if (others.empty() || calls_off_by_default(story.entries[i]) > calls_off_by_default(path)) continue;
    if (!declared) declared.emplace(program);
    if (!by_default(*declared, asked).is_closed) return lead;
    const ByDefault other = by_default(*declared, others);
    if (!other.is_closed && !other.open.empty()) return i;
  }
  return lead;
}

std::vector<std::string> other_routes(const DocumentInputs& inputs, const Story& story, std::size_t lead) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kMostGuards = 3;
  std::vector<std::string> out;
  if (!is_altered_on_way(story, lead)) return out;
  const program::Program& program = *inputs.after;
  const EntryPath& told = story.entries[lead];
  std::optional<DeclaredSettings> declared;
  for (std::size_t i = 0; i < story.central.size() && out.size() < kMost; ++i) {
    const EntryPath& path = story.entries[i];
    if (i == lead || !is_altered_on_way(story, i) || !is_another_way(path, told)) continue;
    const program::FunctionId function = path.frames.back().function;
    const SourceText& source = source_of(program, function);
    std::vector<Guard> own = settings_around(program, path);
    std::erase_if(own, [&](const Guard& guard) {
      return asks_the_same(program, told, one_line_whole(source, *guard.condition));
    });
    own = weightiest(program, function, own, kMostGuards);
    const std::string words = own.empty() ? std::string() : guards_words(own, source, kMostGuards);
    if (words.empty()) continue;
    if (!declared) declared.emplace(program);
    const ByDefault known = by_default(*declared, own);
    std::string text =
        fmt::format("{} What changes there runs only when {}", reach_from(inputs, story, i, lead), words);
    if (known.is_closed) {
      text += ", which is not so by default";
    } else if (known.open.size() == own.size()) {
      text += ", which is so by default";
    } else if (!known.open.empty()) {
      const std::string open = guards_words(known.open, source, kMostGuards);
      if (!open.empty()) text += fmt::format("; by default {}", open);
    }
    out.push_back(text + ".");
  }
  return out;
}

}  // namespace lockstep::report
