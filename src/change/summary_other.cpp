// Summaries of files that are not Python.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "base/strings.h"
#include "change/outline.h"
#include "change/settings_diff.h"
#include "change/summary.h"
#include "change/workflow.h"

namespace lockstep::change {

namespace {

/// "980 B", "12.3 KB", "4.0 MB".
std::string size_text(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  if (bytes < 1'000'000) return fmt::format("{:.1f} KB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

const repo::FileEntry* entry_of(const repo::Snapshot* snapshot, const std::optional<std::size_t>& index) {
  return snapshot == nullptr || !index ? nullptr : &snapshot->files()[*index];
}

std::optional<std::string> text_of(const repo::Snapshot* snapshot, const std::optional<std::size_t>& index) {
  if (snapshot == nullptr || !index) return std::nullopt;
  Result<std::string> bytes = snapshot->read(*index);
  return bytes ? std::optional(*std::move(bytes)) : std::nullopt;
}

/// "12.3 KB → 14.0 KB"; of one side alone its size; empty where nothing is known.
std::string sizes(const repo::FileChange& file, const Contents& contents) {
  const repo::FileEntry* before = entry_of(contents.before, file.before_index);
  const repo::FileEntry* after = entry_of(contents.after, file.after_index);
  if (before != nullptr && after != nullptr) {
    return size_text(before->size_bytes) + " → " + size_text(after->size_bytes);
  }
  if (before == nullptr && after == nullptr) return {};
  return size_text((before != nullptr ? before : after)->size_bytes);
}

std::string submodule_summary(const repo::FileChange& file, const Contents& contents) {
  const repo::FileEntry* before = entry_of(contents.before, file.before_index);
  const repo::FileEntry* after = entry_of(contents.after, file.after_index);
  if (before == nullptr || after == nullptr) return "submodule";
  return fmt::format("submodule moves from commit {:.10} to {:.10}", before->content_id, after->content_id);
}

/// One line of a requirements file: "torch>=2.1; python_version…" → ("torch", ">=2.1").
std::optional<std::pair<std::string, std::string>> requirement(std::string_view line) {
  line = trim(line.substr(0, line.find(" #")));
  if (line.empty() || line[0] == '#' || line[0] == '-') return std::nullopt;
  const auto end = std::ranges::find_if(line, [](char c) { return contains("=<>!~;@ [", std::string_view(&c, 1)); });
  const std::string_view name = line.substr(0, static_cast<std::size_t>(end - line.begin()));
  return std::pair(to_lower(name), std::string(trim(line.substr(name.size()))));
}

std::string requirements_summary(const repo::FileChange& file) {
  std::map<std::string, std::pair<std::optional<std::string>, std::optional<std::string>>> packages;
  for (const repo::Hunk& hunk : file.lines.hunks()) {
    for (const repo::DiffLine& line : hunk.lines) {
      if (line.kind == repo::LineKind::context) continue;
      const auto parsed = requirement(line.text);
      if (!parsed) continue;
      auto& [before, after] = packages[parsed->first];
      (line.kind == repo::LineKind::removed ? before : after) = parsed->second;
    }
  }
  std::vector<std::string> parts;
  for (const auto& [name, versions] : packages) {
    const auto& [before, after] = versions;
    const auto pinned = [&](const std::string& version) { return quoted_name(name + version); };
    if (before && after && *before != *after) {
      parts.push_back(fmt::format("{} → {}", pinned(*before), pinned(*after)));
    } else if (before && !after) {
      parts.push_back("removes " + pinned(*before));
    } else if (after && !before) {
      parts.push_back("adds " + pinned(*after));
    }
  }
  return parts.empty() ? std::string{} : list_names(parts, 4);
}

/// Which parts of an outline a set of lines falls in; parts whose own first line is among them.
struct Touched {
  std::vector<std::string> inside, whole;
};

Touched touched_parts(const Outline& outline, const std::vector<std::uint32_t>& lines) {
  Touched touched;
  std::set<std::string> seen;
  for (const std::uint32_t line : lines) {
    const auto next = std::ranges::upper_bound(outline.parts, line, {}, &OutlinePart::line);
    if (next == outline.parts.begin()) continue;
    const OutlinePart& part = *std::prev(next);
    std::vector<std::string>& list = part.line == line ? touched.whole : touched.inside;
    if (seen.insert((part.line == line ? "+" : "-") + part.name).second) list.push_back(part.name);
  }
  return touched;
}

std::string named(std::string_view verb, std::string_view noun, const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(quoted_name(name));
  const std::string plural = names.size() == 1 ? "" : "s";
  return fmt::format("{} {}{} {}", verb, noun, plural, list_names(quoted));
}

std::set<std::string> names_of(const Outline& outline) {
  std::set<std::string> names;
  for (const OutlinePart& part : outline.parts) names.insert(part.name);
  return names;
}

std::string_view without_ending(std::string_view line) { return line.substr(0, line.find_last_not_of(" \t\r") + 1); }

/// Lines of one sign that the other sign has, too, with another ending: white space, or no end of line.
std::set<std::uint32_t> ending_only(const repo::FileChange& file, repo::LineKind kind) {
  std::set<std::uint32_t> lines;
  for (const repo::Hunk& hunk : file.lines.hunks()) {
    std::map<std::string_view, const repo::DiffLine*> others;
    for (const repo::DiffLine& line : hunk.lines) {
      if (line.kind != kind && line.kind != repo::LineKind::context) others[without_ending(line.text)] = &line;
    }
    for (const repo::DiffLine& line : hunk.lines) {
      const auto other = line.kind == kind ? others.find(without_ending(line.text)) : others.end();
      if (other == others.end()) continue;
      if (line.text == other->second->text && line.ends_with_newline == other->second->ends_with_newline) continue;
      lines.insert(kind == repo::LineKind::removed ? line.old_line : line.new_line);
    }
  }
  return lines;
}

std::vector<std::uint32_t> without(std::vector<std::uint32_t> lines, const std::set<std::uint32_t>& dropped) {
  std::erase_if(lines, [&](std::uint32_t line) { return dropped.contains(line); });
  return lines;
}

/// "adds section `X`; changes sections `A` and `B`; removes section `C`".
std::string outline_summary(const repo::FileChange& file, FileCategory category, const Contents& contents) {
  const std::optional<std::string> before = text_of(contents.before, file.before_index);
  const std::optional<std::string> after = text_of(contents.after, file.after_index);
  const Outline left = before ? outline_of(file.old_path, category, *before) : Outline{};
  const Outline right = after ? outline_of(file.new_path, category, *after) : Outline{};
  const Touched removed =
      touched_parts(left, without(file.lines.removed_lines(), ending_only(file, repo::LineKind::removed)));
  const Touched added =
      touched_parts(right, without(file.lines.added_lines(), ending_only(file, repo::LineKind::added)));
  const std::set<std::string> on_left = names_of(left), on_right = names_of(right);
  std::vector<std::string> adds, changes, removes;
  for (const std::string& name : added.whole) (on_left.contains(name) ? changes : adds).push_back(name);
  for (const std::string& name : removed.whole) (on_right.contains(name) ? changes : removes).push_back(name);
  for (const auto* list : {&added.inside, &removed.inside}) changes.insert(changes.end(), list->begin(), list->end());
  std::set<std::string> told(adds.begin(), adds.end());
  told.insert(removes.begin(), removes.end());
  std::erase_if(changes, [&](const std::string& name) { return !told.insert(name).second; });
  const std::string_view noun = right.noun.empty() ? left.noun : right.noun;
  std::vector<std::string> clauses;
  if (!adds.empty()) clauses.push_back(named("adds", noun, adds));
  if (!changes.empty()) clauses.push_back(named("changes", noun, changes));
  if (!removes.empty()) clauses.push_back(named("removes", noun, removes));
  return join(clauses, "; ");
}

constexpr std::size_t kMostClauses = 6;

/// Of workflows what they do otherwise; of small edits to YAML and TOML the settings themselves. Empty for others.
std::string settings_summary(const repo::FileChange& file, const Contents& contents) {
  const std::string path = to_lower(file.path());
  const bool is_toml = path.ends_with(".toml");
  if (!is_toml && !path.ends_with(".yml") && !path.ends_with(".yaml")) return {};
  const std::optional<std::string> before = text_of(contents.before, file.before_index);
  const std::optional<std::string> after = text_of(contents.after, file.after_index);
  if (!after) return {};
  if (is_toml) {
    if (!before) return {};
    return join(setting_clauses(settings_of_toml(*before), settings_of_toml(*after), kMostClauses), "; ");
  }
  const YamlNode left = before ? yaml_tree(*before) : YamlNode{}, right = yaml_tree(*after);
  if (is_workflow(path)) return join(workflow_clauses(left, right, kMostClauses), "; ");
  if (!before) return {};
  const std::vector<std::string> clauses = yaml_clauses(left, right, kMostClauses);
  return clauses.size() > kMostClauses ? std::string() : join(clauses, "; ");
}

/// The options (`--name`) that a shell script names outside comments.
std::set<std::string> options_of_shell(std::string_view text) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  std::set<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
      if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') line = line.substr(0, at);
    }
    for (std::size_t at = line.find("--"); at != std::string_view::npos; at = line.find("--", at + 2)) {
      if (at > 0 && (is_letter(line[at - 1]) || line[at - 1] == '-' || line[at - 1] == '_')) continue;
      std::size_t stop = at + 2;
      while (stop < line.size() && (is_letter(line[stop]) || line[stop] == '-' || line[stop] == '_')) ++stop;
      constexpr std::size_t kShortest = 2;  // Letters behind the dashes.
      if (stop - at >= 2 + kShortest && is_letter(line[at + 2])) out.emplace(line.substr(at, stop - at));
    }
  }
  return out;
}

/// "14 lines added, 2 removed; newly names `--recipe`": of a shell script that was there before. Empty for others.
std::string shell_summary(const repo::FileChange& file, const Contents& contents) {
  const std::optional<std::string> before = text_of(contents.before, file.before_index);
  const std::optional<std::string> after = text_of(contents.after, file.after_index);
  if (!before || !after || !to_lower(file.path()).ends_with(".sh")) return {};
  const std::set<std::string> old_ones = options_of_shell(*before);
  const std::set<std::string> new_ones = options_of_shell(*after);
  constexpr std::size_t kMostNamed = 4;
  std::string out;
  for (const bool is_new : {true, false}) {
    std::vector<std::string> names;
    for (const std::string& one : is_new ? new_ones : old_ones) {
      if (!(is_new ? old_ones : new_ones).contains(one)) names.push_back(quoted_name(one));
    }
    if (!names.empty()) out += (is_new ? "; newly names " : "; no longer names ") + list_names(names, kMostNamed);
  }
  return out.empty() ? out : line_counts(file) + out;
}

std::string content_summary(const repo::FileChange& file, FileCategory category, const Contents& contents) {
  if (file.file_kind == repo::FileKind::submodule) return submodule_summary(file, contents);
  if (file.binary) {
    const std::string size = sizes(file, contents);
    return size.empty() ? "binary" : "binary, " + size;
  }
  if (file.file_kind == repo::FileKind::symlink) return "symbolic link";
  const bool plain_requirements = category == FileCategory::kDependencies && file.path().ends_with(".txt");
  std::string text = plain_requirements ? requirements_summary(file) : settings_summary(file, contents);
  if (text.empty() && !plain_requirements) text = outline_summary(file, category, contents);
  if (text.empty()) text = shell_summary(file, contents);
  if (category == FileCategory::kNotebook || category == FileCategory::kData) text = sizes(file, contents);
  return text.empty() ? line_counts(file) : text;
}

}  // namespace

std::string summarize_other(const repo::FileChange& file, FileCategory category, const Contents& contents) {
  const std::string status = file_status(file), content = content_summary(file, category, contents);
  if (status.empty() && content.empty()) return "other bytes";
  if (status.empty() || content.empty()) return status + content;
  return status + "; " + content;
}

}  // namespace lockstep::change
