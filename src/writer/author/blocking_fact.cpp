#include "writer/author/blocking_fact.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "program/queries.h"
#include "report/documents/excerpt.h"
#include "report/documents/ways.h"
#include "report/source/code.h"
#include "rules/place.h"
#include "writer/author/collective_fact.h"
#include "writer/author/placements_parts.h"

namespace lockstep::writer {

namespace {

using program::FunctionId;
using program::Program;
using report::EntryPath;

constexpr std::size_t kMostNamed = 6;  // of the functions on a way
constexpr std::size_t kMostCondition = 300;

/// A way from a script of the repository's own (no example, no test) on which nothing is guessed by a name or missing.
bool is_known(const EntryPath& way) {
  return !way.frames.empty() && way.kind == program::EntryKind::kScript && !way.is_helper && !way.is_definition &&
         way.by_name.empty() && way.missing_import.empty() && !way.unmade.valid() && !way.ungiven.function.valid();
}

std::string names_text(const Program& program, const std::vector<FunctionId>& functions) {
  std::vector<std::string> names;
  for (const FunctionId function : functions) {
    const program::Function& row = program.functions()[function];
    names.push_back(fmt::format("`{}`", row.kind == program::FunctionKind::kModuleBody
                                            ? program.modules()[row.module].path
                                            : rules::short_name(program, function)));
  }
  const std::size_t all = names.size();
  if (all > kMostNamed) names.erase(names.begin() + 3, names.end() - static_cast<std::ptrdiff_t>(kMostNamed - 3));
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i == 3 && names.size() < all ? " → … → " : " → ";
    text += names[i];
  }
  return text;
}

/// "; the line itself runs where `a` holds, where `b` does not": its own conditions in the function; empty: it has
/// none.
std::string line_conditions(const report::DocumentInputs& inputs, FunctionId function, const LineOfFile& line) {
  const auto place = internal::drawn_place(internal::after_side(inputs), line.first, line.second);
  if (!place || place->step.node == nullptr || place->function != function) return {};
  const SourceText& source = report::source_of(*inputs.after, function);
  std::vector<std::string> parts;
  for (const report::Guard& guard :
       report::guards_of(*inputs.after->functions()[function].node, place->step.node->span)) {
    if (guard.condition == nullptr) continue;
    const std::string condition = single_spaced(source.slice(guard.condition->span));
    if (contains(condition, "`") || condition.size() > kMostCondition) return {};
    parts.push_back(fmt::format("where `{}` {}", condition, guard.negated ? "does not" : "holds"));
  }
  return parts.empty() ? std::string() : fmt::format("; the line itself runs {}", fmt::join(parts, ", "));
}

/// The innermost function whose code holds the line.
FunctionId function_at(const Program& program, const LineOfFile& line) {
  const program::ModuleId module = program.find_path(line.first);
  if (!module.valid()) return {};
  FunctionId found;
  std::uint32_t shortest = 0;
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const FunctionId id(i);
    const program::Function& row = program.functions()[id];
    if (row.module != module || row.def() == nullptr) continue;
    const SourceText& source = report::source_of(program, id);
    const std::uint32_t first = source.line_of(row.node->span.begin), last = source.line_of(row.node->span.end);
    if (line.second < first || line.second > last || (found.valid() && last - first >= shortest)) continue;
    found = id;
    shortest = last - first;
  }
  return found;
}

/// A way that is told, up to the function from which a few calls lead on to another one.
struct Reach {
  const EntryPath* way = nullptr;
  std::size_t frames = 0;         ///< Of the way.
  std::vector<FunctionId> below;  ///< Behind them, the function itself last; empty where it ends the way.
};

/// Up from the function through callers outside tests to one of a known way; calls that are guesses by a name lead
/// nowhere. The nearest.
std::optional<Reach> reach_of(const Program& program, const report::Story& story, FunctionId function) {
  constexpr std::size_t kMostCalls = 4;
  constexpr std::size_t kMostSeen = 400;
  struct Seen {
    FunctionId function;
    std::size_t below = 0;  ///< Its number in the list; its own for the first.
    std::size_t calls = 0;
  };
  std::vector<Seen> seen = {{function, 0, 0}};
  for (std::size_t at = 0; at < seen.size(); ++at) {
    for (const EntryPath& way : story.entries) {
      if (!is_known(way)) continue;
      // The module that a way starts from holds no call of its own that matters here.
      for (std::size_t frame = way.frames.size(); frame-- > 1;) {
        if (way.frames[frame].function != seen[at].function) continue;
        Reach reach{&way, frame + 1, {}};
        for (std::size_t up = at; up != 0; up = seen[up].below) reach.below.push_back(seen[seen[up].below].function);
        return reach;
      }
    }
    if (seen[at].calls == kMostCalls || seen.size() >= kMostSeen) continue;
    for (const program::CallId id : program.callers_of(seen[at].function)) {
      const program::CallSite& site = program.calls()[id];
      const bool is_guess = std::none_of(site.targets.begin(), site.targets.end(), [&](const auto& target) {
        return target.function == seen[at].function && target.certainty != program::Certainty::kByName;
      });
      const bool is_known_already =
          std::any_of(seen.begin(), seen.end(), [&](const Seen& one) { return one.function == site.caller; });
      if (is_guess || is_known_already || program::is_test_path(program.module_of(site.caller).path)) continue;
      seen.push_back({site.caller, at, seen[at].calls + 1});
    }
  }
  return std::nullopt;
}

/// The way by which runs come to the function that holds the line.
std::optional<rules::Evidence> reached_line(const report::DocumentInputs& inputs, const report::Story& story,
                                            const LineOfFile& line) {
  const Program& program = *inputs.after;
  const FunctionId function = function_at(program, line);
  if (!function.valid()) return std::nullopt;
  const std::optional<Reach> reach = reach_of(program, story, function);
  if (!reach) return std::nullopt;
  std::vector<FunctionId> functions;
  for (std::size_t i = 0; i < reach->frames; ++i) functions.push_back(reach->way->frames[i].function);
  functions.insert(functions.end(), reach->below.begin(), reach->below.end());
  // What the whole way asks for is told of its end alone.
  const bool is_end = reach->below.empty() && reach->frames == reach->way->frames.size();
  std::string conditions =
      is_end ? report::with_backquotes(report::path_conditions(inputs, *reach->way)) : std::string();
  if (conditions.size() > kMostCondition) conditions.clear();
  return rules::Evidence{
      line.first, line.second,
      fmt::format("runs can come to this function: {}{}{}{}", names_text(program, functions),
                  line_conditions(inputs, function, line), conditions.empty() ? "" : ". ", conditions)};
}

}  // namespace

std::optional<rules::Evidence> blocking_fact(const report::DocumentInputs& inputs, const report::Story& story,
                                             const std::vector<LineOfFile>& lines) {
  for (const auto& [path, line] : lines) {
    if (auto fact = conditional_collective(inputs, path, line)) return fact;
  }
  if (auto fact = rejected_call(inputs, lines)) return fact;
  for (const LineOfFile& line : lines) {
    if (auto fact = reached_line(inputs, story, line)) return fact;
  }
  return std::nullopt;
}

}  // namespace lockstep::writer
