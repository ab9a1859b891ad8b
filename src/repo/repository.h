// Finds the repository that a path belongs to and answers questions about its revisions: snapshots, commits, merge
// bases. Read-only: never writes, never fetches, runs no hook and no external filter. Works on work trees, linked work
// trees, bare, shallow and partial clones, and on folders without Git (which have one snapshot, worktree(), and no
// revisions).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "repo/snapshot.h"

namespace lockstep::repo {

struct CommitInfo {
  std::string id;       ///< 40 hex digits; empty for a message that came with a patch.
  std::string subject;  ///< First paragraph of the message, on one line. Valid UTF-8.
  std::string body;     ///< The rest of the message, trailers included. Valid UTF-8.
  std::string author;   ///< "Name <mail>". Valid UTF-8.
  std::string date;     ///< Author date, UTC: "2024-05-31T09:30:00Z"; empty when unknown.
  std::vector<std::string> parents;
};

struct Remote {
  std::string name;
  std::string url;  ///< As configured, may hold credentials: never print it.
};

/// What became of a path that a revision lacks.
struct PathFate {
  bool known = false;      ///< Some commit in the history had it.
  CommitInfo removed_by;   ///< The newest commit (on the first-parent line) since which it is gone.
  std::string renamed_to;  ///< Its file's new path in that commit; empty where it was deleted or is a folder.
};

/// A commit with the paths that it added, removed or changed (against its first parent), escaped and sorted.
struct CommitPaths {
  CommitInfo info;
  std::vector<std::string> paths;
};

/// An opened repository or plain folder. Cheap to copy; safe to use from many threads. Snapshots outlive it.
class Repository {
 public:
  /// The nearest ancestor-or-self of `path` with a `.git`, that is a bare repository, or that has a `lockstep.toml`
  /// (then a plain folder); without any of these, `path` itself as a plain folder. `path` may name a file.
  static Result<Repository> open(const std::string& path);

  [[nodiscard]] bool is_git() const;
  [[nodiscard]] bool is_bare() const;  ///< Git without a work tree.
  /// Absolute path of the work tree or folder; of the Git folder where there is no work tree.
  [[nodiscard]] const std::string& root() const;

  /// Id (40 hex digits) of the commit that `revision` names (branch, tag, id prefix, HEAD~2, …). Error: unknown
  /// revision, with the nearest known name.
  [[nodiscard]] Result<std::string> resolve(std::string_view revision) const;
  /// Whether `revision` names a commit here.
  [[nodiscard]] bool has_revision(std::string_view revision) const;
  /// Whether HEAD names a commit: not so in a new repository.
  [[nodiscard]] bool has_commits() const;
  /// Whether a branch, tag or remote branch has exactly this short or full name.
  [[nodiscard]] bool has_reference(std::string_view name) const;
  /// The files of a commit (or of a tree id).
  [[nodiscard]] Result<Snapshot> snapshot_at(std::string_view revision, const SnapshotLimits& limits = {}) const;
  /// Tracked files as they are on disk, and untracked ones that are not ignored; the plain folder's files without Git.
  /// Error for a bare repository.
  [[nodiscard]] Result<Snapshot> worktree(const SnapshotLimits& limits = {}) const;
  /// The working tree where there is one, else HEAD.
  [[nodiscard]] Result<Snapshot> current(const SnapshotLimits& limits = {}) const;

  /// Error: no common ancestor (or none in a shallow clone).
  [[nodiscard]] Result<std::string> merge_base(std::string_view a, std::string_view b) const;
  /// nullopt for a root commit. Error: the parent is missing (shallow clone).
  [[nodiscard]] Result<std::optional<std::string>> first_parent(std::string_view revision) const;
  [[nodiscard]] Result<CommitInfo> commit_info(std::string_view revision) const;
  /// Commits reachable from `head` and not from `base`, oldest first, at most the newest kMaxCommits.
  [[nodiscard]] Result<std::vector<CommitInfo>> commits_between(std::string_view base, std::string_view head) const;
  static constexpr std::size_t kMaxCommits = 1000;

  /// For each of `paths` (escaped; files or folders), none of which `revision` has: whether an ancestor had it and
  /// where it went. Looks at the newest kMaxHistory commits of the first-parent line; what cannot be read is unknown.
  [[nodiscard]] std::vector<PathFate> fates_of(std::string_view revision, const std::vector<std::string>& paths) const;
  /// The newest `most` commits of the first-parent line of `revision`, newest first; a commit that touches more than
  /// kMaxCommitPaths files has none listed. Empty where the history cannot be read.
  [[nodiscard]] std::vector<CommitPaths> recent_commits(std::string_view revision, std::size_t most) const;
  static constexpr std::size_t kMaxHistory = 20000;
  static constexpr std::size_t kMaxCommitPaths = 500;

  /// Short name of the branch that HEAD is on; nullopt when detached or without Git.
  [[nodiscard]] std::optional<std::string> head_branch() const;
  /// Configured remotes, sorted by name, "origin" first.
  [[nodiscard]] std::vector<Remote> remotes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace lockstep::repo
