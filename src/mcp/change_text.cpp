#include "mcp/change_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "render/graph_text.h"

namespace lockstep::mcp {

namespace {

using change::Difference;
using change::DifferenceKind;
using change::EntityChange;

constexpr std::size_t kMostSentence = 700;
constexpr std::size_t kMostEvidence = 8;
constexpr std::size_t kMostAlsoAt = 6;

constexpr std::array<std::string_view, 39> kDifferenceNames = {"parameter added",
                                                               "parameter removed",
                                                               "parameter renamed",
                                                               "parameter moved",
                                                               "parameter kind changed",
                                                               "default added",
                                                               "default removed",
                                                               "default changed",
                                                               "default renamed",
                                                               "annotation changed",
                                                               "return annotation changed",
                                                               "decorator added",
                                                               "decorator removed",
                                                               "base added",
                                                               "base removed",
                                                               "async changed",
                                                               "import added",
                                                               "import removed",
                                                               "call added",
                                                               "call removed",
                                                               "call arguments changed",
                                                               "collective added",
                                                               "collective removed",
                                                               "collective arguments changed",
                                                               "raise added",
                                                               "raise removed",
                                                               "assert added",
                                                               "assert removed",
                                                               "branch added",
                                                               "branch removed",
                                                               "condition changed",
                                                               "loop added",
                                                               "loop removed",
                                                               "return changed",
                                                               "value changed",
                                                               "body changed",
                                                               "docstring changed",
                                                               "comments changed",
                                                               "formatting changed"};
static_assert(kDifferenceNames.size() == static_cast<std::size_t>(DifferenceKind::kFormattingChanged) + 1);

constexpr std::array<std::string_view, 13> kCategoryNames = {"source",   "test",         "docs",   "config", "CI",
                                                             "build",    "dependencies", "native", "script", "data",
                                                             "notebook", "binary",       "other"};
static_assert(kCategoryNames.size() == static_cast<std::size_t>(change::FileCategory::kOther) + 1);

std::string_view kind_text_of(change::EntityKind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"module", "class", "function", "method", "variable", "field"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string place_of(const change::EntitySide& side) {
  return fmt::format("{}:{}-{}", side.path, side.first_line + 1, side.last_line + 1);
}

bool is_on_step_path(const LiveChange& change, program::FunctionId function) {
  const auto& path = change.analysed->step_path;
  return function.valid() && std::any_of(path.begin(), path.end(),
                                         [&](const program::Reached& reached) { return reached.function == function; });
}

// A constructor that a step reaches by a guess alone runs when something is built, which is hardly in the step.
std::string_view step_note(const LiveChange& change, program::FunctionId function) {
  if (!is_on_step_path(change, function)) return {};
  if (change.surely_in_step.contains(function)) return " [runs in every training step]";
  const std::string_view name = change.analysed->after.functions()[function].name;
  if (name == "__init__" || name == "__post_init__" || name == "__new__") return {};
  return " [may run in the training step]";
}

std::string sentence(std::string_view label, std::string_view text) {
  if (trim(text).empty()) return {};
  return fmt::format("\n  {}: {}", label, render::safe_line(text, kMostSentence));
}

}  // namespace

std::vector<std::string> quoted_lines(std::string_view text, std::size_t most_lines) {
  std::vector<std::string> lines;
  for (const std::string_view line : split_lines(text)) {
    if (lines.size() == most_lines) {
      lines.emplace_back("> …");
      break;
    }
    lines.push_back(fmt::format("> {}", render::safe_line(line, 400)));
  }
  while (!lines.empty() && lines.back() == "> ") lines.pop_back();
  return lines;
}

std::string change_head(const LiveChange& change, std::string_view name) {
  std::size_t added = 0, removed = 0;
  for (const change::FileSummary& file : change.analysed->change.files) {
    added += file.lines_added;
    removed += file.lines_removed;
  }
  const repo::ChangeSides& sides = change.analysed->sides;
  std::string text = fmt::format("Change {}", render::safe_line(name, 200));
  if (!change.words.title.empty()) text += fmt::format(": \"{}\"", render::safe_line(change.words.title, 200));
  if (!change.words.author.empty()) text += fmt::format(" by {}", render::safe_line(change.words.author, 100));
  text += fmt::format("; {} → {}; {} (+{} −{})", render::safe_line(sides.before_name, 100),
                      render::safe_line(sides.after_name, 100), count_of(change.analysed->change.files.size(), "file"),
                      added, removed);
  return text;
}

std::string file_text(const change::FileSummary& file) {
  return fmt::format("{}  {} (+{} −{}): {}", kCategoryNames[static_cast<std::size_t>(file.category)], file.file->path(),
                     file.lines_added, file.lines_removed, render::safe_line(file.summary, 300));
}

std::string_view status_text(const EntityChange& entity) {
  if (entity.status == change::Status::kAdded) return "added";
  if (entity.status == change::Status::kRemoved) return "removed";
  if (entity.moved) return "moved";
  return entity.renamed ? "renamed" : "modified";
}

std::string difference_text(const Difference& difference) {
  std::string text(kDifferenceNames[static_cast<std::size_t>(difference.kind)]);
  if (!difference.name.empty()) text += fmt::format(" {}", render::safe_line(difference.name, 100));
  const std::string before = render::safe_line(difference.before, 160),
                    after = render::safe_line(difference.after, 160);
  if (!before.empty() && !after.empty()) {
    text += fmt::format(": {} → {}", before, after);
  } else if (!before.empty() || !after.empty()) {
    text += fmt::format(": {}", before.empty() ? after : before);
  }
  if (difference.after_line) {
    text += fmt::format(" (line {})", *difference.after_line + 1);
  } else if (difference.before_line) {
    text += fmt::format(" (line {} before)", *difference.before_line + 1);
  }
  return text;
}

std::string entity_text(const LiveChange& change, const EntityChange& entity) {
  constexpr std::size_t kMostKinds = 5;
  const change::EntitySide& side = entity.latest();
  std::string text =
      fmt::format("{} {} {}  {}", status_text(entity), kind_text_of(entity.kind), side.qualified_name, place_of(side));
  if (entity.before && entity.after && entity.before->qualified_name != side.qualified_name)
    text += fmt::format(" (was {})", entity.before->qualified_name);
  std::vector<std::string_view> kinds;
  for (const Difference& difference : entity.differences) {
    const std::string_view name = kDifferenceNames[static_cast<std::size_t>(difference.kind)];
    if (std::find(kinds.begin(), kinds.end(), name) == kinds.end()) kinds.push_back(name);
  }
  if (!kinds.empty()) {
    const std::size_t more = kinds.size() > kMostKinds ? kinds.size() - kMostKinds : 0;
    if (more > 0) kinds.resize(kMostKinds);
    text += fmt::format(": {}{}", fmt::join(kinds, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
  }
  if (entity.after) text += step_note(change, entity.after->function);
  return text;
}

std::string finding_text(const report::ReportedFinding& reported) {
  const rules::Finding& finding = reported.finding;
  std::string text =
      fmt::format("{} {} {}  {}:{}{}  {}", report::severity_name(finding.severity),
                  report::certainty_name(finding.certainty), finding.rule, finding.path, finding.start_line + 1,
                  finding.end_line > finding.start_line ? fmt::format("-{}", finding.end_line + 1) : "",
                  render::safe_line(finding.symbol, 200));
  text += fmt::format("\n  {}", render::safe_line(finding.message, kMostSentence));
  text += sentence("why", finding.why) + sentence("fix", finding.fix);
  for (std::size_t i = 0; i < finding.evidence.size() && i < kMostEvidence; ++i) {
    const rules::Evidence& step = finding.evidence[i];
    text += fmt::format("\n  - {}:{} {}", step.path, step.line + 1, render::safe_line(step.message, 240));
  }
  if (!reported.also_at.empty()) {
    text += "\n  also at:";
    for (std::size_t i = 0; i < reported.also_at.size() && i < kMostAlsoAt; ++i)
      text += fmt::format(" {}:{}", reported.also_at[i].path, reported.also_at[i].line + 1);
    if (reported.also_at.size() > kMostAlsoAt)
      text += fmt::format(" and {} more", reported.also_at.size() - kMostAlsoAt);
  }
  return text;
}

std::string severities_text(const report::Report& report) {
  std::array<std::size_t, 4> counts{};
  for (const report::ReportedFinding& finding : report.findings)
    ++counts[static_cast<std::size_t>(finding.finding.severity)];
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) parts.push_back(fmt::format("P{}: {}", i, counts[i]));
  }
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace lockstep::mcp
