// Text of a patch (git diff, git format-patch, diff -u) → file patches → a snapshot with them applied, all in memory.
// Exact context only (no fuzz): a hunk may have moved, nearest place first, as in `git apply`. Binary patches are
// recorded, not applied. Paths that leave the root are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "repo/diff.h"
#include "repo/snapshot.h"

namespace lockstep::repo {

/// One line of a hunk; `text` has no "\n" (a "\r" stays) and points into Patch::text.
struct PatchLine {
  LineKind kind = LineKind::context;
  bool ends_with_newline = true;
  std::string_view text;
};

/// One hunk as written: starts are the header's numbers made 0-based (Hunk explains a count of 0).
struct PatchHunk {
  std::uint32_t old_start = 0, old_count = 0;
  std::uint32_t new_start = 0, new_count = 0;
  std::string_view header;  ///< "@@ -1,3 +1,4 @@ …", points into Patch::text.
  std::vector<PatchLine> lines;
};

/// What a patch does to one file. Paths are escaped (escape_path), without a/ and b/.
struct FilePatch {
  ChangeKind kind = ChangeKind::modified;
  bool copied = false;   ///< With `renamed`: the old file stays.
  bool binary = false;   ///< Bytes are not known; applying leaves the file as it is, with a problem.
  std::size_t part = 0;  ///< Which mail of the patch it is from: a later one builds on what an earlier one gave.
  std::string old_path;  ///< Empty for an added file.
  std::string new_path;  ///< Empty for a deleted file.
  std::optional<std::uint32_t> old_mode, new_mode;
  std::vector<PatchHunk> hunks;
};

/// What a format-patch mail, or the head of `git show`, says about its commit. All text is valid UTF-8.
struct PatchMessage {
  std::string subject;  ///< On one line, without "[PATCH 1/3]".
  std::string body;
  std::string author;
  std::string date;  ///< UTC, "2024-05-31T09:30:00Z"; empty when absent or unreadable.
};

struct Patch {
  std::shared_ptr<const std::string> text;  ///< What the views point into.
  std::vector<PatchMessage> messages;       ///< One per mail, in order.
  std::vector<FilePatch> files;             ///< In the order of the patch; a file may appear again in a later mail.
};

struct PatchLimits {
  std::size_t max_bytes = 64u << 20;
  std::size_t max_files = 50'000;
  std::size_t max_lines = 4'000'000;  ///< Of all hunks together.
};

/// Errors: no file header anywhere, a malformed or cut hunk (with its line number), an unsafe path, over a limit.
Result<Patch> parse_patch(std::string text, const PatchLimits& limits = {});

/// `before` with one file's hunks applied. Error: which hunk, which line, what was expected and found.
Result<std::string> apply_hunks(std::string_view before, const FilePatch& file);

/// What applying a patch gives.
struct AppliedPatch {
  Snapshot after;
  std::vector<SnapshotProblem> problems;  ///< Binary files that were left as they are.
};

/// Applies all of `patch` to `base`, or nothing. Error: file, hunk, reason and next step.
Result<AppliedPatch> apply_patch(const Snapshot& base, const Patch& patch);

}  // namespace lockstep::repo
