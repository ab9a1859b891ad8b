// Two snapshots → which files differ (with renames) and in which lines. Lines count from 0 and end at "\n" only, as in
// Git and on GitHub. Only files whose content ids differ are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repo/snapshot.h"

namespace lockstep::repo {

enum class LineKind : std::uint8_t { context, added, removed };

struct DiffLine {
  LineKind kind = LineKind::context;
  std::uint32_t old_line = 0;  ///< Where it is on the old side; for an added line, the next old line's number.
  std::uint32_t new_line = 0;  ///< Where it is on the new side; for a removed line, the next new line's number.
  bool ends_with_newline = true;
  std::string text;  ///< Without "\n"; a "\r" stays.
};

/// A run of changed lines with up to three context lines around. With a count of 0 the start is the line before which
/// the other side's lines stand.
struct Hunk {
  std::uint32_t old_start = 0, old_count = 0;
  std::uint32_t new_start = 0, new_count = 0;
  std::vector<DiffLine> lines;
};

/// The line-level difference of two texts; hunks are in order and do not overlap.
class LineDiff {
 public:
  /// No difference.
  LineDiff() : LineDiff(std::vector<Hunk>{}) {}
  explicit LineDiff(std::vector<Hunk> hunks);

  [[nodiscard]] const std::vector<Hunk>& hunks() const { return hunks_; }
  [[nodiscard]] bool empty() const { return hunks_.empty(); }
  /// New-side lines that were added, and old-side lines that were removed; ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& added_lines() const { return added_; }
  [[nodiscard]] const std::vector<std::uint32_t>& removed_lines() const { return removed_; }
  [[nodiscard]] bool is_added_line(std::uint32_t new_line) const;
  [[nodiscard]] bool is_removed_line(std::uint32_t old_line) const;
  /// Whether any line of [first, last] was added / removed.
  [[nodiscard]] bool has_added_in(std::uint32_t first, std::uint32_t last) const;
  [[nodiscard]] bool has_removed_in(std::uint32_t first, std::uint32_t last) const;
  /// Whether GitHub takes a comment there: an added or context line of a hunk (new side), a removed or context line
  /// (old).
  [[nodiscard]] bool in_hunk(std::uint32_t new_line) const;
  [[nodiscard]] bool in_hunk_before(std::uint32_t old_line) const;
  /// Where an old line is now; nullopt if it was removed. And back; nullopt if it was added.
  [[nodiscard]] std::optional<std::uint32_t> map_old_to_new(std::uint32_t old_line) const;
  [[nodiscard]] std::optional<std::uint32_t> map_new_to_old(std::uint32_t new_line) const;

 private:
  // A run of equal lines: `length` lines from old_begin stand on the new side from new_begin.
  struct EqualRun {
    std::uint32_t old_begin, new_begin, length;
  };

  std::vector<Hunk> hunks_;
  std::vector<std::uint32_t> added_, removed_;
  std::vector<EqualRun> equal_;  // Ascending on both sides; the last one has no end.
};

/// Git's own line diff (xdiff, as `git diff`) of two texts.
LineDiff diff_lines(std::string_view before, std::string_view after, std::uint32_t context_lines = 3);
/// A NUL byte in the first 8000 bytes, as Git decides it.
bool is_binary(std::string_view bytes);

enum class ChangeKind : std::uint8_t {
  added,
  deleted,
  modified,      ///< Same path, other bytes (the mode may differ too).
  renamed,       ///< Other path, same or similar bytes.
  mode_changed,  ///< Same path and bytes, other mode.
};

/// One file that differs.
struct FileChange {
  ChangeKind kind = ChangeKind::modified;
  std::string old_path;                                  ///< Empty for an added file.
  std::string new_path;                                  ///< Empty for a deleted file.
  std::optional<std::size_t> before_index, after_index;  ///< Into before.files() and after.files().
  FileKind file_kind = FileKind::file;                   ///< Of the new side, of the old for a deleted file.
  std::uint32_t old_mode = 0, new_mode = 0;
  bool binary = false;         ///< No lines are compared; also for submodules.
  int similarity_percent = 0;  ///< Of a rename: 100 for the same bytes.
  bool lines_known = true;     ///< False where a side could not be read (see SnapshotDiff::problems).
  LineDiff lines;              ///< Empty for binary files, exact renames and mode changes.

  /// The path that people look for: the new one, the old one of a deleted file.
  [[nodiscard]] const std::string& path() const { return new_path.empty() ? old_path : new_path; }
};

struct DiffOptions {
  std::uint32_t context_lines = 3;
  std::size_t jobs = 1;
};

/// All differences between two snapshots, sorted by path(). A path that turned from file to symlink or submodule, or
/// back, is there twice: deleted, then added.
struct SnapshotDiff {
  std::vector<FileChange> files;
  std::vector<std::size_t> by_old_path;   ///< Indices of the files with an old path, sorted by it.
  std::vector<SnapshotProblem> problems;  ///< Files that differ but could not be read, so that their lines are unknown.

  /// The change whose new path is `path`, or nullptr. And by old path.
  [[nodiscard]] const FileChange* find_after(std::string_view path) const;
  [[nodiscard]] const FileChange* find_before(std::string_view path) const;
};

SnapshotDiff diff_snapshots(const Snapshot& before, const Snapshot& after, const DiffOptions& options = {});

}  // namespace lockstep::repo
