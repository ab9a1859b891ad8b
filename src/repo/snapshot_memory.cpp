// In-memory snapshots, and overlays of changed files over another snapshot.
#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "base/strings.h"
#include "repo/git_handles.h"
#include "repo/snapshot.h"

namespace lockstep::repo {
namespace {

FileEntry entry_of(const std::string& path, const MemoryFile& file) {
  if (file.kind == FileKind::submodule) {
    // "Subproject commit <id>\n", as Git's diffs write it.
    const std::size_t space = file.bytes.rfind(' ');
    return {path, std::string(trim(std::string_view(file.bytes).substr(space + 1))), 0, file.kind, file.mode};
  }
  return {path, blob_id(file.bytes), file.bytes.size(), file.kind, file.mode};
}

class MemorySource : public ContentSource {
 public:
  explicit MemorySource(std::map<std::string, MemoryFile> files) : files_(std::move(files)) {}
  Result<std::string> read(const FileEntry& entry) const override {
    const auto found = files_.find(entry.path);
    CHECK(found != files_.end());
    return found->second.bytes;
  }

 private:
  std::map<std::string, MemoryFile> files_;
};

class OverlaySource : public ContentSource {
 public:
  OverlaySource(Snapshot base, std::map<std::string, std::optional<MemoryFile>> changes)
      : base_(std::move(base)), changes_(std::move(changes)) {}
  Result<std::string> read(const FileEntry& entry) const override {
    const auto found = changes_.find(entry.path);
    if (found == changes_.end()) return base_.read(entry.path);
    CHECK(found->second.has_value());
    return found->second->bytes;
  }

 private:
  Snapshot base_;
  std::map<std::string, std::optional<MemoryFile>> changes_;
};

}  // namespace

Snapshot memory_snapshot(std::map<std::string, MemoryFile> files) {
  std::vector<FileEntry> entries;
  entries.reserve(files.size());
  for (const auto& [path, file] : files) entries.push_back(entry_of(path, file));
  return Snapshot(std::move(entries), std::make_shared<MemorySource>(std::move(files)));
}

Snapshot memory_snapshot(const std::map<std::string, std::string>& files) {
  std::map<std::string, MemoryFile> copies;
  for (const auto& [path, bytes] : files) copies.emplace(path, MemoryFile{bytes});
  return memory_snapshot(std::move(copies));
}

Snapshot overlay_snapshot(const Snapshot& base, std::map<std::string, std::optional<MemoryFile>> changes) {
  std::vector<FileEntry> entries;
  entries.reserve(base.files().size() + changes.size());
  for (const FileEntry& file : base.files()) {
    if (!changes.contains(file.path)) entries.push_back(file);
  }
  for (const auto& [path, file] : changes) {
    if (file) entries.push_back(entry_of(path, *file));
  }
  std::vector<SnapshotProblem> problems = base.problems();
  const SnapshotLimits limits = base.limits();
  return Snapshot(std::move(entries), std::make_shared<OverlaySource>(base, std::move(changes)), std::move(problems),
                  limits);
}

}  // namespace lockstep::repo
