#include "playbook/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "repo/diff.h"

namespace lockstep::playbook {

namespace {

struct Waiting {
  std::string path;
  PlaybookKind kind;
  int depth;
};

bool is_below(std::string_view path, std::string_view folder) {
  return contains(path, fmt::format("/{}/", folder)) || path.starts_with(fmt::format("{}/", folder));
}

bool starts_path(char c) { return c == ' ' || c == '(' || c == '\t' || c == '"' || c == '\''; }

bool in_path(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '/' || c == '~';
}

class Reader {
 public:
  Reader(const repo::Snapshot& snapshot, const Paths& paths) : snapshot_(snapshot), paths_(paths) {}

  void add(const std::string& path, PlaybookKind kind, int depth) {
    const std::optional<std::string> real = paths_.resolve(path);
    if (paths_.links().contains(path)) result_.links.emplace_back(path, real && paths_.has(*real) ? *real : "");
    if (!real || !paths_.has_file(*real) || !seen_.insert(*real).second) return;
    waiting_.push_back({*real, kind, depth});
  }

  Playbooks run() {
    for (std::size_t next = 0; next < waiting_.size(); ++next) read(Waiting(waiting_[next]));
    std::sort(result_.read.begin(), result_.read.end(),
              [](const Playbook& a, const Playbook& b) { return a.page.path < b.page.path; });
    std::sort(result_.links.begin(), result_.links.end());
    return std::move(result_);
  }

 private:
  void read(const Waiting& one) {
    if (result_.read.size() >= kMaxPlaybooks) {
      result_.unread.push_back({one.path, fmt::format("only {} playbooks are read", kMaxPlaybooks)});
      return;
    }
    const auto index = snapshot_.find(one.path);
    if (index && snapshot_.files()[*index].size_bytes > kMaxPageBytes) {
      result_.unread.push_back(
          {one.path, fmt::format("{} KiB are more than anybody reads: only up to {} KiB are held against the code",
                                 snapshot_.files()[*index].size_bytes >> 10, kMaxPageBytes >> 10)});
      return;
    }
    Result<std::string> bytes = snapshot_.read(one.path);
    if (!bytes || bytes->size() > kMaxPageBytes || repo::is_binary(*bytes)) {
      result_.unread.push_back({one.path, bytes ? "it is not text" : bytes.error().message});
      return;
    }
    Page page = read_page(one.path, std::move(*bytes));
    if (one.depth < kMaxIncludeDepth) follow(page, one.depth + 1);
    result_.read.push_back({std::move(page), one.kind});
  }

  void follow(const Page& page, int depth) {
    const std::string_view folder = folder_of(page.path);
    for (std::uint32_t line = 0; line < page.source.line_count(); ++line) {
      if (!page.is_prose[line]) continue;
      for (const std::string& name : includes_in(page.source.line(line))) {
        for (const std::string_view base : {folder, std::string_view{}}) {
          const auto path = join_path(base, name);
          if (path && is_text(*path)) add(*path, PlaybookKind::kIncluded, depth);
        }
      }
    }
    // A link is followed where it leads to a part of the same playbook: a file beside it or below.
    for (const Link& link : page.links) {
      const std::string target = link.target.substr(0, link.target.find('#'));
      const auto path = join_path(folder, target);
      const bool part_of_it = path && !folder.empty() && path->starts_with(std::string(folder) + "/");
      if (part_of_it && is_text(*path)) add(*path, PlaybookKind::kIncluded, depth);
    }
  }

  static bool is_text(std::string_view path) { return path.ends_with(".md") || path.ends_with(".mdc"); }

  const repo::Snapshot& snapshot_;
  const Paths& paths_;
  std::set<std::string> seen_;
  std::vector<Waiting> waiting_;
  Playbooks result_;
};

}  // namespace

std::optional<PlaybookKind> playbook_kind(std::string_view path) {
  const std::string name = to_lower(name_of(path));
  for (const std::string_view folder : {"node_modules", "third_party", "vendor"}) {
    if (is_below(path, folder)) return std::nullopt;
  }
  if (name == "skill.md") return PlaybookKind::kSkill;
  for (const std::string_view guide :
       {"agents.md", "claude.md", "gemini.md", "agent.md", "claude.local.md", ".cursorrules", ".windsurfrules",
        ".clinerules", "copilot-instructions.md", "agents.override.md"}) {
    if (name == guide) return PlaybookKind::kGuide;
  }
  const bool text = name.ends_with(".md") || name.ends_with(".mdc");
  for (const std::string_view folder : {".claude/rules", ".claude/commands", ".claude/agents", ".cursor/rules",
                                        ".github/instructions", ".agents/rules", ".windsurf/rules"}) {
    if (text && is_below(path, folder)) return PlaybookKind::kRule;
  }
  return std::nullopt;
}

bool is_record(std::string_view path) {
  const std::string name = to_lower(name_of(path));
  const bool is_text =
      name.ends_with(".md") || name.ends_with(".rst") || name.ends_with(".txt") || !contains(name, ".");
  if (!is_text) return false;
  for (const std::string_view start : {"changelog", "changes", "release_notes", "release-notes", "history", "news"}) {
    if (name.starts_with(start)) return true;
  }
  // "h200_202506.md" is of its month.
  constexpr std::size_t kDigitsOfDate = 6;
  std::size_t digits = 0, most_digits = 0;
  for (const char c : name) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    most_digits = std::max(most_digits, digits);
  }
  return most_digits >= kDigitsOfDate;
}

bool is_documentation(std::string_view path) {
  if (!to_lower(name_of(path)).ends_with(".md") || playbook_kind(path) || is_record(path)) return false;
  for (const std::string_view folder : {"node_modules", "third_party", "vendor"}) {
    if (is_below(path, folder)) return false;
  }
  return true;
}

std::vector<std::string> includes_in(std::string_view line) {
  std::vector<std::string> result;
  bool in_code = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '`') in_code = !in_code;
    if (line[i] != '@' || in_code || (i > 0 && !starts_path(line[i - 1]))) continue;
    std::size_t end = i + 1;
    while (end < line.size() && in_path(line[end])) ++end;
    std::string_view path = line.substr(i + 1, end - i - 1);
    while (path.ends_with('.')) path.remove_suffix(1);
    // "@someone" is a person, "@org/team" a team: a file has an extension.
    if (name_of(path).find('.', 1) != std::string_view::npos && !path.starts_with('~')) result.emplace_back(path);
  }
  return result;
}

Playbooks read_playbooks(const repo::Snapshot& snapshot, const Paths& paths, const std::vector<std::string>& wanted) {
  Reader reader(snapshot, paths);
  if (!wanted.empty()) {
    for (const std::string& path : wanted) reader.add(path, playbook_kind(path).value_or(PlaybookKind::kGuide), 0);
    return reader.run();
  }
  for (const std::string& path : paths.files()) {
    if (const auto kind = playbook_kind(path)) reader.add(path, *kind, 0);
  }
  return reader.run();
}

}  // namespace lockstep::playbook
