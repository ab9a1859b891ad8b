// A folder without Git as a snapshot.
#include "repo/snapshot_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"
#include "repo/disk.h"
#include "repo/snapshot.h"

namespace lockstep::repo {
namespace {

// Folders that hold what tools made or fetched, whatever stands in them.
constexpr std::array<std::string_view, 18> kSkippedNames = {
    ".git",          ".hg",           ".svn",        ".venv", "venv",
    "node_modules",  "__pycache__",   ".tox",        ".nox",  ".mypy_cache",
    ".ruff_cache",   ".pytest_cache", ".hypothesis", ".eggs", ".ipynb_checkpoints",
    "site-packages", ".cache",        ".terraform"};
// Names that a source package may have as well: skipped at the top of the tree only.
constexpr std::array<std::string_view, 3> kSkippedTopNames = {"build", "dist", "_build"};
// Files that mark the folder they stand in: a virtual environment, a cache (bford.info/cachedir), a CMake build.
constexpr std::array<std::string_view, 3> kSkippingFiles = {"pyvenv.cfg", "CACHEDIR.TAG", "CMakeCache.txt"};

template <std::size_t Count>
bool one_of(const std::array<std::string_view, Count>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool skip_folder(std::string_view raw_path, const std::vector<std::string>& names) {
  if (raw_path.empty()) return false;
  return is_generated_folder(raw_path) ||
         std::any_of(names.begin(), names.end(), [](const std::string& name) { return one_of(kSkippingFiles, name); });
}

class DirectorySource : public ContentSource {
 public:
  DirectorySource(FileDescriptor root, std::uint64_t max_bytes) : root_(std::move(root)), max_bytes_(max_bytes) {}
  Result<std::string> read(const FileEntry& entry) const override {
    return read_below(root_.number(), unescape_path(entry.path), max_bytes_);
  }

 private:
  FileDescriptor root_;
  std::uint64_t max_bytes_;
};

}  // namespace

bool is_generated_folder(std::string_view raw_path) {
  const std::size_t slash = raw_path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? raw_path : raw_path.substr(slash + 1);
  if (one_of(kSkippedNames, name) || name.ends_with(".egg-info")) return true;
  return slash == std::string_view::npos && one_of(kSkippedTopNames, name);
}

bool is_in_generated_folder(std::string_view raw_path) {
  for (std::size_t slash = raw_path.find('/'); slash != std::string_view::npos; slash = raw_path.find('/', slash + 1)) {
    if (is_generated_folder(raw_path.substr(0, slash))) return true;
  }
  return false;
}

Result<Snapshot> directory_snapshot(const std::string& root, const SnapshotLimits& limits) {
  Result<FileDescriptor> folder = open_folder(root);
  if (!folder) return fail(folder.error().message, "name an existing folder with -C");
  FolderWalk walk = walk_below(folder->number(), limits.max_files, skip_folder);
  std::vector<FileEntry> files;
  files.reserve(walk.files.size());
  for (const DiskFile& file : walk.files) {
    // The `.git` file of a linked work tree or submodule.
    if (file.raw_path == ".git" || file.raw_path.ends_with("/.git")) continue;
    files.push_back({escape_path(file.raw_path), file.identity, file.size_bytes,
                     file.mode == 0120000 ? FileKind::symlink : FileKind::file, file.mode});
  }
  std::vector<SnapshotProblem> problems;
  for (DiskFolderError& problem : walk.problems) {
    problems.push_back({escape_path(problem.raw_path), std::move(problem.message)});
  }
  return Snapshot(std::move(files), std::make_shared<DirectorySource>(std::move(*folder), limits.max_file_bytes),
                  std::move(problems), limits);
}

}  // namespace lockstep::repo
