// change_summary, entity_diff, findings.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/nearest.h"
#include "base/strings.h"
#include "mcp/change_text.h"
#include "mcp/entity.h"
#include "mcp/tools.h"
#include "render/graph_text.h"
#include "rules/pages.h"
#include "rules/rule.h"

namespace lockstep::mcp {

namespace {

using change::EntityChange;
using change::EntitySide;

constexpr std::size_t kMostBodyLines = 25;
constexpr std::size_t kMostNamed = 8;

Result<LiveChange*> change_of(const ToolContext& context) {
  return context.workspace.change(context.arguments.text("change"), context.progress);
}

bool ends_with_name(std::string_view qualified, std::string_view wanted) {
  if (wanted.empty() || !qualified.ends_with(wanted)) return false;
  return qualified.size() == wanted.size() || qualified[qualified.size() - wanted.size() - 1] == '.';
}

// The innermost changed entity at "path:line" of the after side.
const EntityChange* entity_at(const change::Change& change, const std::string& name) {
  const std::size_t colon = name.rfind(':');
  if (colon == std::string::npos) return nullptr;
  std::uint32_t line = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + colon + 1, end, line);
  if (error != std::errc{} || line == 0 || (rest != end && *rest != '-')) return nullptr;
  return change.entity_at_after(name.substr(0, colon), line - 1);
}

Result<const EntityChange*> find_changed(const change::Change& change, const std::string& name) {
  if (const EntityChange* entity = entity_at(change, name)) return entity;
  std::vector<const EntityChange*> exact, ends;
  for (const EntityChange& entity : change.entities) {
    for (const auto* side : {&entity.after, &entity.before}) {
      if (!side->has_value()) continue;
      const bool is_exact =
          (*side)->qualified_name == name || (entity.kind == change::EntityKind::kModule && (*side)->path == name);
      if (is_exact) exact.push_back(&entity);
      if (is_exact || ends_with_name((*side)->qualified_name, name)) {
        ends.push_back(&entity);
        break;
      }
    }
  }
  if (!exact.empty()) return exact.front();
  if (ends.size() == 1) return ends.front();
  if (ends.empty()) {
    return fail(fmt::format("the change does not touch '{}'", render::safe_line(name, 200)),
                "`change_summary` lists what it touches");
  }
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < ends.size() && i < kMostNamed; ++i) names.push_back(ends[i]->latest().qualified_name);
  return fail(fmt::format("'{}' may mean {} changed entities", render::safe_line(name, 200), ends.size()),
              fmt::format("give more of one's name: {}", fmt::join(names, ", ")));
}

bool holds(const EntitySide& side, std::uint32_t line) { return side.first_line <= line && line <= side.last_line; }

void add_diff_lines(const EntityChange& entity, const repo::LineDiff& lines, Answer& answer) {
  for (const repo::Hunk& hunk : lines.hunks()) {
    bool is_first = true;
    for (const repo::DiffLine& line : hunk.lines) {
      const bool is_removed = line.kind == repo::LineKind::removed;
      const std::optional<EntitySide>& side = is_removed ? entity.before : entity.after;
      if (!side || !holds(*side, is_removed ? line.old_line : line.new_line)) continue;
      if (is_first) answer.items.push_back(fmt::format("@@ before {}, after {}", line.old_line + 1, line.new_line + 1));
      is_first = false;
      const SourceText text{std::string(line.text)};
      const char mark = line.kind == repo::LineKind::context ? ' ' : is_removed ? '-' : '+';
      answer.items.push_back(
          fmt::format("{}{:>5}| {}", mark, (is_removed ? line.old_line : line.new_line) + 1, source_line(text, 0)));
    }
  }
}

// What stands only on one side is shown whole.
void add_side(const program::Program& program, const EntitySide& side, char mark, Answer& answer) {
  const program::ModuleId module = program.find_path(side.path);
  if (!module.valid()) return;
  const SourceText& source = program.modules()[module].facts->source();
  for (const std::string& line : numbered_lines(source, side.first_line, side.last_line))
    answer.items.push_back(fmt::format("{}{}", mark, line));
}

bool is_below(std::string_view path, std::string_view folder) {
  return path == folder || folder == "." ||
         (path.starts_with(folder) && (folder.ends_with('/') || path.substr(folder.size()).starts_with('/')));
}

// What findings may be asked of: nothing is found in a folder that does not exist, and by a rule that is none.
Result<void> check_rule(std::string_view rule) {
  if (rule.empty() || rules::find_rule(rule) != nullptr) return {};
  const std::string nearest(rules::nearest_rule(rule));
  return fail(fmt::format("there is no rule '{}'", render::safe_line(rule, 100)),
              nearest.empty() ? "`lockstep rules` lists them; without `rule` all findings are listed"
                              : did_you_mean(std::span(&nearest, 1)));
}

Result<void> check_path(std::string_view path, std::initializer_list<const repo::Snapshot*> sides) {
  if (path.empty() || path == ".") return {};
  std::vector<std::string_view> paths;
  for (const repo::Snapshot* side : sides) {
    for (const repo::FileEntry& file : side->files()) {
      if (is_below(file.path, path)) return {};
      paths.push_back(file.path);
    }
  }
  std::vector<std::string> near = nearest_paths(path, paths, 1);
  for (std::string& one : near) one = render::safe_line(one, 200);
  return fail(fmt::format("there is no file or folder '{}'", render::safe_line(path, 200)),
              did_you_mean_or(near, "`overview` lists the folders"));
}

}  // namespace

Result<Answer> change_summary(const ToolContext& context) {
  const Result<LiveChange*> found = change_of(context);
  if (!found) return tl::unexpected<Error>(found.error());
  const LiveChange& live = **found;
  Answer answer;
  answer.version = live.version;
  answer.head = change_head(live, context.arguments.text("change"));
  for (std::string& line : quoted_lines(trim(live.words.body), kMostBodyLines)) answer.items.push_back(std::move(line));
  if (live.words.title.empty()) {
    for (const repo::CommitInfo& commit : live.analysed->sides.commits)
      answer.items.push_back(fmt::format("> {}", render::safe_line(commit.subject, 200)));
  }
  answer.items.push_back(fmt::format("Findings: {}", severities_text(live.report)));
  answer.items.emplace_back("Files:");
  for (const change::FileSummary& file : live.analysed->change.files) answer.items.push_back(file_text(file));
  if (!live.analysed->change.entities.empty()) answer.items.emplace_back("Functions, classes and values:");
  for (const EntityChange& entity : live.analysed->change.entities) answer.items.push_back(entity_text(live, entity));
  return answer;
}

Result<Answer> entity_diff(const ToolContext& context) {
  const Result<LiveChange*> found = change_of(context);
  if (!found) return tl::unexpected<Error>(found.error());
  const LiveChange& live = **found;
  const change::Change& change = live.analysed->change;
  const Result<const EntityChange*> named = find_changed(change, context.arguments.text("symbol"));
  if (!named) return tl::unexpected<Error>(named.error());
  const EntityChange& entity = **named;
  Answer answer;
  answer.version = live.version;
  answer.head = entity_text(live, entity);
  for (const change::Difference& difference : entity.differences)
    answer.items.push_back(fmt::format("- {}", difference_text(difference)));
  if (entity.before && entity.after) {
    const repo::FileChange* file = live.analysed->diff.find_after(entity.after->path);
    if (file != nullptr && !entity.moved) {
      add_diff_lines(entity, file->lines, answer);
    } else {
      add_side(live.analysed->before, *entity.before, '-', answer);
      add_side(live.analysed->after, *entity.after, '+', answer);
    }
  } else if (entity.after) {
    add_side(live.analysed->after, *entity.after, '+', answer);
  } else {
    add_side(live.analysed->before, *entity.before, '-', answer);
  }
  return answer;
}

Result<Answer> list_findings(const ToolContext& context) {
  const report::Report* report = nullptr;
  Answer answer;
  std::string of = "the tree";
  const std::string rule = context.arguments.text("rule");
  std::string path = context.arguments.text("path");
  if (path.starts_with("./")) path.erase(0, 2);
  if (const Result<void> known = check_rule(rule); !known) return tl::unexpected<Error>(known.error());
  if (context.arguments.has("change")) {
    const Result<LiveChange*> found = change_of(context);
    if (!found) return tl::unexpected<Error>(found.error());
    report = &(*found)->report;
    const repo::ChangeSides& sides = (*found)->analysed->sides;
    if (const Result<void> known = check_path(path, {&sides.after, &sides.before}); !known)
      return tl::unexpected<Error>(known.error());
    answer.version = (*found)->version;
    of = render::safe_line(context.arguments.text("change"), 100);
  } else {
    const Result<const report::Report*> found = context.workspace.findings(context.progress);
    if (!found) return tl::unexpected<Error>(found.error());
    report = *found;
    const Result<const driver::Tree*> tree = context.workspace.linked(context.progress);
    if (!tree) return tl::unexpected<Error>(tree.error());
    if (const Result<void> known = check_path(path, {&(*tree)->snapshot}); !known)
      return tl::unexpected<Error>(known.error());
    answer.version = context.workspace.version();
  }
  const std::string severity = context.arguments.text("severity", "P3");
  for (const report::ReportedFinding& reported : report->findings) {
    const rules::Finding& finding = reported.finding;
    if (!path.empty() && !is_below(finding.path, path)) continue;
    if (!rule.empty() && finding.rule != rule) continue;
    if (report::severity_name(finding.severity) > severity) continue;
    answer.items.push_back(finding_text(reported));
  }
  answer.head =
      fmt::format("{} in {} (all: {})", count_of(answer.items.size(), "finding"), of, severities_text(*report));
  return answer;
}

}  // namespace lockstep::mcp
