#include "writer/author/blocking_fact.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "program/queries.h"
#include "report/documents/excerpts/excerpt.h"
#include "report/documents/runs/ways.h"
#include "report/source/code.h"
#include "report/story/steps/steps.h"
#include "report/ways/scripts/script_places.h"
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

/// Branches before the step, in its block and those around it, that do nothing but leave the function at their end and
/// have no other side.
std::vector<const python::If*> exits_above(const std::vector<report::Step>& steps, std::size_t index) {
  std::vector<const python::If*> exits;
  for (std::size_t level = index; level != report::Step::kNone; level = steps[level].parent) {
    for (std::size_t i = 0; i < level; ++i) {
      const auto* branch = python::as<python::If>(steps[i].node);
      if (steps[i].parent != steps[level].parent || steps[i].kind != report::StepKind::kIf || branch == nullptr ||
          steps[i].is_elif || !branch->orelse.empty() || branch->body.empty() || report::end_of(steps, i) > level)
        continue;
      const python::Stmt* last = branch->body.back();
      if (python::is<python::Return>(last)) exits.push_back(branch);  // What raises refuses; it chooses nothing.
    }
  }
  return exits;
}

/// "; the line itself runs where `a` and `b` hold, unless `c` or `d`": its own conditions in the function; empty: it
/// has none.
std::string line_conditions(const report::DocumentInputs& inputs, FunctionId function, const LineOfFile& line) {
  const auto place = internal::drawn_place(internal::after_side(inputs), line.first, line.second + 1);
  if (!place || place->step.node == nullptr || place->function != function) return {};
  const SourceText& source = report::source_of(*inputs.after, function);
  std::vector<std::string> wanted, unwanted;
  bool is_told_whole = true;
  const auto add = [&](const python::Expr& condition, bool is_wanted) {
    std::string text = fmt::format("`{}`", single_spaced(source.slice(condition.span)));
    is_told_whole = is_told_whole && text.find('`', 1) + 1 == text.size() && text.size() <= kMostCondition + 2;
    auto& parts = is_wanted ? wanted : unwanted;
    if (std::find(parts.begin(), parts.end(), text) == parts.end()) parts.push_back(std::move(text));
  };
  for (const report::Guard& guard :
       report::guards_of(*inputs.after->functions()[function].node, place->step.node->span)) {
    if (guard.condition != nullptr) add(*guard.condition, !guard.negated);
  }
  // What leaves the function above the line asks for as much as what stands around it.
  const auto steps = report::steps_of(report::body_of(inputs.after->functions()[function].node), source);
  const auto own =
      std::find_if(steps.begin(), steps.end(), [&](const report::Step& step) { return step.span == place->step.span; });
  if (own != steps.end()) {
    for (const python::If* exit : exits_above(steps, static_cast<std::size_t>(own - steps.begin())))
      add(*exit->condition, false);
  }
  if (!is_told_whole || (wanted.empty() && unwanted.empty())) return {};
  std::string words;
  if (!wanted.empty())
    words = fmt::format(" where {} {}", report::join_words(wanted), wanted.size() > 1 ? "hold" : "holds");
  if (!unwanted.empty())
    words += fmt::format("{} unless {}", wanted.empty() ? "" : ",", report::join_words(unwanted, "or"));
  return "; the line itself runs" + words;
}

/// Whether the call may enter the function by no more than its name.
bool is_guess(const program::CallSite& site, FunctionId function) {
  return std::none_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
    return target.function == function && target.certainty != program::Certainty::kByName;
  });
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

/// Whether a few calls lead from a function of a known way to this one; calls that are guesses by a name lead nowhere.
/// Whether a run takes them, their conditions say.
bool hangs_on_known_way(const Program& program, const report::Story& story, FunctionId function) {
  constexpr std::size_t kMostCalls = 4;
  constexpr std::size_t kMostSeen = 400;
  std::vector<std::pair<FunctionId, std::size_t>> seen = {{function, 0}};
  for (std::size_t at = 0; at < seen.size(); ++at) {
    const auto [one, calls] = seen[at];
    const bool is_on_way = std::any_of(story.entries.begin(), story.entries.end(), [&](const EntryPath& way) {
      return is_known(way) && std::any_of(way.frames.begin() + 1, way.frames.end(),
                                          [&](const report::PathFrame& frame) { return frame.function == one; });
    });
    if (is_on_way) return true;
    if (calls == kMostCalls || seen.size() >= kMostSeen) continue;
    for (const program::CallId id : program.callers_of(one)) {
      const program::CallSite& site = program.calls()[id];
      const bool is_known_already =
          std::any_of(seen.begin(), seen.end(), [&](const auto& other) { return other.first == site.caller; });
      if (!is_known_already && !is_guess(site, one) && !program::is_test_path(program.module_of(site.caller).path))
        seen.emplace_back(site.caller, calls + 1);
    }
  }
  return false;
}

/// "`g` calls `f` at `a.py:12`, where `x` holds": the likeliest call outside tests of the function that holds
/// the line: one that the change touches, then one of no example, then a certain one. Only of what hangs on a known
/// way. It says that the function is called and when, not that a run of a certain script comes there.
std::optional<rules::Evidence> called_line(const report::DocumentInputs& inputs, const report::Story& story,
                                           const LineOfFile& line) {
  const Program& program = *inputs.after;
  const FunctionId function = function_at(program, line);
  if (!function.valid() || !hangs_on_known_way(program, story, function)) return std::nullopt;
  const program::CallSite* best = nullptr;
  int best_rank = 0;
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    const std::string& path = program.module_of(site.caller).path;
    if (is_guess(site, function) || program::is_test_path(path) || site.caller == function) continue;
    const std::uint32_t at = report::source_of(program, site.caller).line_of(site.node->span.begin);
    const bool is_certain = program::surely_enters(site, function);
    const std::uint32_t end = report::source_of(program, site.caller).line_of(site.node->span.end);
    bool is_touched = false;
    for (std::uint32_t each = at; each <= end; ++each)
      is_touched = is_touched || inputs.change->touches_after(path, each);
    const bool is_aside = !report::aside_folder(path).empty();  // An example calls it, say.
    const int rank = (is_touched ? 4 : 0) + (is_aside ? 0 : 2) + (is_certain ? 1 : 0) + 1;
    if (rank <= best_rank) continue;
    best = &site;
    best_rank = rank;
  }
  if (best == nullptr) return std::nullopt;
  const std::string& path = program.module_of(best->caller).path;
  const std::uint32_t at = report::source_of(program, best->caller).line_of(best->node->span.begin);
  std::string conditions = line_conditions(inputs, best->caller, {path, at});
  constexpr std::string_view kOwn = "; the line itself runs";
  if (conditions.starts_with(kOwn)) conditions = "," + conditions.substr(kOwn.size());
  return rules::Evidence{
      line.first, line.second,
      fmt::format("{} calls {} at `{}:{}`{}{}", names_text(program, {best->caller}), names_text(program, {function}),
                  path, at + 1, conditions, line_conditions(inputs, function, line))};
}

/// The way by which runs come to the function that holds the line.
std::optional<rules::Evidence> reached_line(const report::DocumentInputs& inputs, const report::Story& story,
                                            const LineOfFile& line) {
  const Program& program = *inputs.after;
  const FunctionId function = function_at(program, line);
  for (const EntryPath& way : story.entries) {
    if (!function.valid() || !is_known(way) || way.frames.back().function != function) continue;
    std::vector<FunctionId> functions;
    for (const report::PathFrame& frame : way.frames) functions.push_back(frame.function);
    std::string conditions = report::with_backquotes(report::path_conditions(inputs, way));
    if (conditions.size() > kMostCondition) conditions.clear();
    return rules::Evidence{
        line.first, line.second,
        fmt::format("runs can come to this function: {}{}{}{}", names_text(program, functions),
                    line_conditions(inputs, function, line), conditions.empty() ? "" : ". ", conditions)};
  }
  return called_line(inputs, story, line);
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
