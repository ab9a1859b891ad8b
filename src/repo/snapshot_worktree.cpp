// The working tree of a Git repository as a snapshot.
//
// Git's index knows which tracked files are unchanged without reading them (size and times), so these keep their blob
// id and are parsed once for both sides of a change. Where Git stores other bytes than it checks out (core.autocrlf,
// eol=crlf, LFS), an unchanged file is read from the object database, and a changed one goes through libgit2's built-in
// line-end rules, so that both sides of a diff are in the form that Git stores. External filters never run: libgit2
// knows none.
#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "repo/disk.h"
#include "repo/snapshot_directory.h"
#include "repo/snapshot_git.h"

namespace lockstep::repo {
namespace {

class WorktreeSource : public ContentSource {
 public:
  WorktreeSource(FileDescriptor root, std::shared_ptr<const ObjectPool> objects, std::uint64_t max_bytes)
      : root_(std::move(root)), objects_(std::move(objects)), max_bytes_(max_bytes) {}

  Result<std::string> read(const FileEntry& entry) const override {
    if (const auto held = converted.find(entry.path); held != converted.end()) return held->second;
    if (stored.contains(entry.path)) return objects_->read_blob(oid_of(entry.content_id), entry.path);
    return read_below(root_.number(), unescape_path(entry.path), max_bytes_);
  }
  [[nodiscard]] int root() const { return root_.number(); }

  // Filled while the snapshot is made, constant afterwards.
  std::map<std::string, std::string> converted;  // Changed files whose stored form differs from the disk's.
  std::set<std::string> stored;                  // Unchanged files that are read from the object database.

 private:
  FileDescriptor root_;
  std::shared_ptr<const ObjectPool> objects_;
  std::uint64_t max_bytes_;
};

class WorktreeListing {
 public:
  WorktreeListing(git_repository* repository, WorktreeSource& source, const ObjectPool& objects,
                  const SnapshotLimits& limits)
      : repository_(repository),
        source_(source),
        objects_(objects),
        limits_(limits),
        database_(objects.take()),
        index_(git_make<GitIndexHandle>([&](git_index** out) { return git_repository_index(out, repository); })) {}
  ~WorktreeListing() {
    if (database_) objects_.give_back(std::move(database_));
  }
  WorktreeListing(const WorktreeListing&) = delete;
  WorktreeListing& operator=(const WorktreeListing&) = delete;

  void add(const git_diff_delta& delta) {
    switch (delta.status) {
      case GIT_DELTA_UNMODIFIED:
        add_unchanged(delta.old_file, delta.new_file);
        break;
      case GIT_DELTA_UNTRACKED:
        add_untracked(delta.new_file.path);
        break;
      case GIT_DELTA_MODIFIED:
      case GIT_DELTA_TYPECHANGE:
      case GIT_DELTA_ADDED:
      case GIT_DELTA_CONFLICTED:
        add_changed(delta);
        break;
      case GIT_DELTA_UNREADABLE:
        problems.push_back({escape_path(delta.new_file.path), "the file cannot be read"});
        break;
      case GIT_DELTA_DELETED:
        add_sparse(delta.old_file);
        break;
      default:
        break;  // Ignored.
    }
  }

  std::vector<FileEntry> files;
  std::vector<SnapshotProblem> problems;

 private:
  void add_unchanged(const git_diff_file& tracked, const git_diff_file& on_disk) {
    FileEntry file{escape_path(tracked.path), hex(tracked.id), on_disk.size, FileKind::file, tracked.mode};
    if (tracked.mode == GIT_FILEMODE_COMMIT) {
      file.kind = FileKind::submodule;
      file.size_bytes = 0;
    } else {
      if (tracked.mode == GIT_FILEMODE_LINK) file.kind = FileKind::symlink;
      const std::optional<std::uint64_t> stored_bytes = blob_size(tracked.id);
      if (stored_bytes && *stored_bytes != on_disk.size) {
        file.size_bytes = *stored_bytes;
        source_.stored.insert(file.path);
      }
    }
    files.push_back(std::move(file));
  }

  // A file that a sparse checkout leaves out is part of the project all the same; one that is gone is not.
  void add_sparse(const git_diff_file& tracked) {
    const git_index_entry* entry = index_ ? git_index_get_bypath(index_.get(), tracked.path, 0) : nullptr;
    if (entry == nullptr || (entry->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) == 0) return;
    FileEntry file{escape_path(tracked.path), hex(entry->id), blob_size(entry->id).value_or(0), FileKind::file,
                   entry->mode};
    if (entry->mode == GIT_FILEMODE_COMMIT) file.kind = FileKind::submodule;
    if (entry->mode == GIT_FILEMODE_LINK) file.kind = FileKind::symlink;
    if (file.kind != FileKind::submodule) source_.stored.insert(file.path);
    files.push_back(std::move(file));
  }

  std::optional<std::uint64_t> blob_size(const git_oid& id) const {
    std::size_t size_bytes = 0;
    git_object_t type{};
    if (!database_ || git_odb_exists_ext(database_.get(), &id, GIT_ODB_LOOKUP_NO_REFRESH) != 1 ||
        git_odb_read_header(&size_bytes, &type, database_.get(), &id) != 0) {
      return std::nullopt;
    }
    return size_bytes;
  }

  void add_untracked(const char* raw_path) {
    const std::string_view path = raw_path;
    if (path.ends_with('/') || is_in_generated_folder(path)) return;  // A repository of its own; or a tool's files.
    if (std::optional<DiskFile> file = stat_below(source_.root(), path)) {
      files.push_back({escape_path(path), file->identity, file->size_bytes,
                       file->mode == 0120000 ? FileKind::symlink : FileKind::file, file->mode});
    }
  }

  void add_changed(const git_diff_delta& delta) {
    const std::string raw_path = delta.new_file.path != nullptr ? delta.new_file.path : delta.old_file.path;
    if (delta.new_file.mode == GIT_FILEMODE_COMMIT) {
      files.push_back({escape_path(raw_path), hex(delta.new_file.id), 0, FileKind::submodule, GIT_FILEMODE_COMMIT});
      return;
    }
    const std::optional<DiskFile> disk = stat_below(source_.root(), raw_path);
    if (!disk) return;
    // libgit2's mode heeds core.fileMode: some file systems have no executable bit.
    const std::uint32_t mode = delta.new_file.mode != 0 ? delta.new_file.mode : disk->mode;
    FileEntry file{escape_path(raw_path), disk->identity, disk->size_bytes,
                   disk->mode == 0120000 ? FileKind::symlink : FileKind::file, mode};
    if (disk->size_bytes <= limits_.max_file_bytes) hash_changed(raw_path, file);
    files.push_back(std::move(file));
  }

  // The blob id that `git add` would give it, so that a file moved or only touched is recognised.
  void hash_changed(const std::string& raw_path, FileEntry& file) {
    Result<std::string> bytes = read_below(source_.root(), raw_path, limits_.max_file_bytes);
    if (!bytes) return;  // Whoever reads the file gets the error.
    if (file.kind == FileKind::file) {
      if (std::optional<std::string> stored = stored_form(raw_path, *bytes); stored && *stored != *bytes) {
        *bytes = std::move(*stored);
        file.size_bytes = bytes->size();
        source_.converted[file.path] = *bytes;
      }
    }
    file.content_id = blob_id(*bytes);
  }

  std::optional<std::string> stored_form(const std::string& raw_path, const std::string& bytes) const {
    const auto filters = git_make<GitFilterListHandle>([&](git_filter_list** out) {
      return git_filter_list_load(out, repository_, nullptr, raw_path.c_str(), GIT_FILTER_TO_ODB,
                                  GIT_FILTER_ALLOW_UNSAFE);
    });
    if (!filters) return std::nullopt;
    git_buf buffer = GIT_BUF_INIT;
    std::optional<std::string> stored;
    if (git_filter_list_apply_to_buffer(&buffer, filters.get(), bytes.data(), bytes.size()) == 0) {
      stored.emplace(buffer.ptr, buffer.size);
    }
    git_buf_dispose(&buffer);
    return stored;
  }

  git_repository* repository_;
  WorktreeSource& source_;
  const ObjectPool& objects_;
  SnapshotLimits limits_;
  GitOdbHandle database_;
  GitIndexHandle index_;
};

Result<GitDiffHandle> compare_with_index(git_repository* repository) {
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;
  options.flags = GIT_DIFF_INCLUDE_UNMODIFIED | GIT_DIFF_INCLUDE_UNTRACKED | GIT_DIFF_RECURSE_UNTRACKED_DIRS |
                  GIT_DIFF_INCLUDE_TYPECHANGE | GIT_DIFF_INCLUDE_UNREADABLE;
  options.ignore_submodules = GIT_SUBMODULE_IGNORE_DIRTY;
  auto diff = git_make<GitDiffHandle>(
      [&](git_diff** out) { return git_diff_index_to_workdir(out, repository, nullptr, &options); });
  if (diff) return diff;
  return fail(fmt::format("the working tree cannot be compared with Git's index: {}", git_error_text()),
              "name a revision instead of the working tree; if the index is split or sparse, run "
              "`git update-index --no-split-index` or `git sparse-checkout reapply --no-sparse-index`");
}

}  // namespace

Result<Snapshot> worktree_snapshot(git_repository* repository, const std::string& root,
                                   std::shared_ptr<const ObjectPool> objects, const SnapshotLimits& limits) {
  Result<FileDescriptor> folder = open_folder(root);
  if (!folder) return tl::unexpected(folder.error());
  Result<GitDiffHandle> diff = compare_with_index(repository);
  if (!diff) return tl::unexpected(diff.error());
  auto source = std::make_shared<WorktreeSource>(std::move(*folder), objects, limits.max_file_bytes);
  std::vector<FileEntry> files;
  std::vector<SnapshotProblem> problems;
  {
    WorktreeListing listing(repository, *source, *objects, limits);
    const std::size_t count = git_diff_num_deltas(diff->get());
    for (std::size_t i = 0; i < count; ++i) listing.add(*git_diff_get_delta(diff->get(), i));
    files = std::move(listing.files);
    problems = std::move(listing.problems);
  }
  return Snapshot(std::move(files), std::move(source), std::move(problems), limits);
}

}  // namespace lockstep::repo
