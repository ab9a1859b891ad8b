// A snapshot is one side of a change: the immutable, sorted list of files of a revision, a working tree, a folder or a
// patched copy of one of these, with their bytes on demand. Nothing is executed, fetched or written; symbolic links are
// never followed; Git's external filters (smudge, LFS) never run.
//
// Left out: what a file means. A file that cannot be read (too large, missing from a partial clone) is an Error for
// that file, which the caller records as a coverage problem; the rest of the snapshot stays good.
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

namespace lockstep::repo {

enum class FileKind : std::uint8_t { file, symlink, submodule };

/// One entry of a snapshot.
struct FileEntry {
  /// Relative to the root, `/` between components, never absolute, no empty, "." or ".." component. Always printable
  /// UTF-8: other bytes are escaped (see escape_path), so two different files never share a path.
  std::string path;
  /// Equal ids mean equal bytes, also across snapshots: parse each id once. The Git blob id (40 hex digits) where Git
  /// knows the bytes or they are in memory, the commit id for a submodule; else an id of the file on disk (32 hex
  /// digits, made of its place, size and times), which two files with the same bytes do not share. Not for output.
  std::string content_id;
  std::uint64_t size_bytes = 0;  ///< 0 where unknown (submodule, blob missing from a partial clone).
  FileKind kind = FileKind::file;
  std::uint32_t mode = 0100644;  ///< As Git writes it: 0100644, 0100755, 0120000 (symlink), 0160000 (submodule).
};

/// Something about the snapshot that the reader of a document must know (a refused path, an unreadable folder, a cap).
struct SnapshotProblem {
  std::string path;  ///< Escaped path, or empty when it concerns the whole snapshot.
  std::string message;
};

/// Bounds on hostile or odd input.
struct SnapshotLimits {
  std::uint64_t max_file_bytes = 8u << 20;  ///< Larger files are listed; read() refuses them.
  std::size_t max_files = 400'000;          ///< Files past this count (in path order) are left out, with a problem.
  std::size_t max_path_bytes = 4096;        ///< Longer paths are left out, with a problem.
};

/// Where the bytes of a snapshot's entries come from. Implementations are immutable and safe to call from many threads.
class ContentSource {
 public:
  virtual ~ContentSource() = default;
  /// Bytes of `entry`, which is one of this snapshot's; a symlink's bytes are its target's text.
  [[nodiscard]] virtual Result<std::string> read(const FileEntry& entry) const = 0;
};

/// The files of one side. Cheap to copy (shares its state); safe to read from many threads.
class Snapshot {
 public:
  /// No files.
  Snapshot();
  /// `files` need not be sorted; entries with a repeated or invalid path become problems.
  Snapshot(std::vector<FileEntry> files, std::shared_ptr<const ContentSource> source,
           std::vector<SnapshotProblem> problems = {}, const SnapshotLimits& limits = {});

  /// Sorted by path, bytewise, without repetition.
  [[nodiscard]] const std::vector<FileEntry>& files() const;
  [[nodiscard]] const std::vector<SnapshotProblem>& problems() const;
  [[nodiscard]] const SnapshotLimits& limits() const;
  [[nodiscard]] std::optional<std::size_t> find(std::string_view path) const;
  /// Bytes of files()[index]. Errors: larger than the limit, missing object, unreadable file, submodule.
  [[nodiscard]] Result<std::string> read(std::size_t index) const;
  /// As above; a path that is not in the snapshot is an Error.
  [[nodiscard]] Result<std::string> read(std::string_view path) const;

 private:
  friend Snapshot with_problem(const Snapshot& snapshot, SnapshotProblem problem);
  struct State;
  std::shared_ptr<const State> state_;
};

/// A file of an in-memory snapshot or overlay.
struct MemoryFile {
  std::string bytes;  ///< Of a submodule: "Subproject commit ID\n".
  FileKind kind = FileKind::file;
  std::uint32_t mode = 0100644;
};

/// Files held in memory, by path (escaped form).
Snapshot memory_snapshot(std::map<std::string, MemoryFile> files);
/// Shorthand for tests and tools: path → bytes.
Snapshot memory_snapshot(const std::map<std::string, std::string>& files);
/// `base` with files replaced or added; nullopt removes the file.
Snapshot overlay_snapshot(const Snapshot& base, std::map<std::string, std::optional<MemoryFile>> changes);
/// `snapshot` with one more problem.
Snapshot with_problem(const Snapshot& snapshot, SnapshotProblem problem);
/// Files under a folder that is no Git repository. Skips version-control folders, caches, virtual environments,
/// node_modules and build folders (see snapshot_directory.cpp), never leaves `root`. Error: no such folder.
Result<Snapshot> directory_snapshot(const std::string& root, const SnapshotLimits& limits = {});

/// Path bytes → printable UTF-8, one to one: backslash, control characters and bytes that are not UTF-8 become a
/// backslash and three octal digits ("\377", "\134"), as Git quotes them. Ordinary paths stay as they are.
std::string escape_path(std::string_view raw);
/// The inverse of escape_path.
std::string unescape_path(std::string_view path);
/// Relative, no empty, ".", ".." or ".git" component, no NUL byte.
bool is_safe_path(std::string_view raw);

}  // namespace lockstep::repo
