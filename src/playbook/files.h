// Which files of a snapshot are playbooks, and what they include: AGENTS.md and its kind, skills, rules, and the files
// that these name with `@path` or link to inside their own folder.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "playbook/page.h"
#include "playbook/paths.h"
#include "repo/snapshot.h"
#include "report/report.h"

namespace lockstep::playbook {

enum class PlaybookKind : std::uint8_t {
  kGuide,     ///< AGENTS.md, CLAUDE.md, GEMINI.md, .cursorrules, copilot-instructions.md: read in every session.
  kSkill,     ///< SKILL.md: read when its description fits.
  kRule,      ///< .claude/rules/*.md, .cursor/rules/*.mdc, .github/instructions/*.md: read for some paths.
  kIncluded,  ///< Named by one of these.
};

struct Playbook {
  Page page;
  PlaybookKind kind = PlaybookKind::kGuide;
};

/// A playbook that exists but was not read as one, and why.
struct Unread {
  std::string path;
  std::string why;
};

struct Playbooks {
  std::vector<Playbook> read;  ///< Sorted by path.
  std::vector<Unread> unread;
  /// Symbolic links with a playbook's name: path → resolved target (empty where it points nowhere in the tree).
  std::vector<std::pair<std::string, std::string>> links;
};

/// What `path` is by its name alone; nullopt where it is no playbook.
std::optional<PlaybookKind> playbook_kind(std::string_view path);

/// Reads the playbooks of the snapshot, or only those that `wanted` names (then whatever their names are), and what
/// they include, at most kMaxPlaybooks files and kMaxIncludeDepth includes deep.
Playbooks read_playbooks(const repo::Snapshot& snapshot, const Paths& paths, const std::vector<std::string>& wanted);
inline constexpr std::size_t kMaxPlaybooks = 400;
inline constexpr int kMaxIncludeDepth = 5;

/// Whether a file tells what was: change logs, release notes, text files named by a date.
bool is_record(std::string_view path);

/// Whether `path` is documentation for people: Markdown that is no playbook and no record of what was.
bool is_documentation(std::string_view path);

/// Paths that a line of text names with `@`: "@docs/contribute.md".
std::vector<std::string> includes_in(std::string_view line);

}  // namespace lockstep::playbook
