// The CHANGE argument of the command line → what it names (ChangeInput) → the two sides of the change (ChangeSides).
// Leaves out asking a forge: a pull request is a ForgeRef, which forge/ turns into sides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "repo/patch.h"
#include "repo/repository.h"
#include "repo/snapshot.h"

namespace lockstep::repo {

/// `BASE..HEAD` (trees compared directly) or `BASE...HEAD` (from the merge base); an empty end is HEAD.
struct RangeChange {
  std::string base;
  std::string head;
  bool from_merge_base = false;
};

/// A single commit: its first parent (nothing for a root commit) → it.
struct CommitChange {
  std::string revision;
};

/// A pull request. `owner` and `repo` are empty when only a number was given, `host` unless a URL was.
struct ForgeRef {
  std::string host;
  std::string owner;
  std::string repo;
  std::uint64_t number = 0;
};

/// Text of a patch; `name` is the file's name as given, or "standard input".
struct PatchChange {
  std::string name;
  std::string text;
};

/// Uncommitted work against HEAD.
struct WorktreeChange {};

using ChangeInput = std::variant<RangeChange, CommitChange, ForgeRef, PatchChange, WorktreeChange>;

/// Reads `argument` (see docs: CHANGE): `-` takes its text from `stdin_text`; patch files are read relative to the
/// current folder. A bare number is a commit if it resolves as one, else a pull request. Errors: nothing so named (with
/// the nearest branch or tag), unreadable or oversized patch file.
Result<ChangeInput> parse_change(const Repository& repository, std::string_view argument,
                                 const std::optional<std::string>& stdin_text = std::nullopt);

/// A pull request alone: a number, `#1234`, `OWNER/REPO#1234` or an address. Error: it is none of these.
Result<ForgeRef> parse_pull_request(std::string_view argument);

struct LoadOptions {
  std::optional<std::string> patch_base;  ///< `--base REV`: what a patch is applied to; else the working tree, or HEAD.
  SnapshotLimits limits;
};

/// A commit that the message of a change says it takes back or brings again; see named_commits.h.
struct NamedCommit {
  /// How the lines that the change adds and removes compare with those of the commit.
  enum class Relation : std::uint8_t {
    kOther,     ///< Fewer than half of the commit's lines come or go again.
    kSame,      ///< It adds and removes what the commit did.
    kOpposite,  ///< It adds what the commit removed, and removes what it added.
  };
  CommitInfo info;
  Relation relation = Relation::kOther;
  std::vector<std::string> differing;  ///< Paths in which that does not hold to the letter, sorted.
  bool is_through_last = false;        ///< The commit before it in the list names it, not the change itself.
};

/// The two versions, and what is known about the change in its author's words.
struct ChangeSides {
  Snapshot before;
  Snapshot after;
  std::string before_name;    ///< For people: "main", "merge base of main and topic", "nothing (root commit)", …
  std::string after_name;     ///< "topic", "the working tree", "main with change.patch applied", …
  std::string before_commit;  ///< 40 hex digits; empty when that side is no commit.
  std::string after_commit;
  std::string title;                ///< Subject of the change's only commit or mail; empty with several, or none.
  std::string body;                 ///< Its message below the subject.
  std::vector<CommitInfo> commits;  ///< Oldest first; of a patch: its mails, without ids.
  std::vector<NamedCommit> named;   ///< In the order of the message.
  std::optional<Repository> repository;  ///< Whose history `before_commit` has; absent where there is none.
};

/// Errors: unknown revision, patch that does not apply, a ForgeRef (which needs forge/).
Result<ChangeSides> load_change(const Repository& repository, const ChangeInput& input,
                                const LoadOptions& options = {});

}  // namespace lockstep::repo
