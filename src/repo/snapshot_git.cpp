// A Git tree as a snapshot.
#include "repo/snapshot_git.h"

#include <fmt/format.h>

#include <utility>

namespace lockstep::repo {
namespace {

// Deeper trees are not real code; a tree that repeats itself at each level would otherwise never end.
constexpr std::size_t kMaxDepth = 256;

class TreeSource : public ContentSource {
 public:
  explicit TreeSource(std::shared_ptr<const ObjectPool> objects) : objects_(std::move(objects)) {}
  Result<std::string> read(const FileEntry& entry) const override {
    return objects_->read_blob(oid_of(entry.content_id), entry.path);
  }

 private:
  std::shared_ptr<const ObjectPool> objects_;
};

// One level of the walk.
struct Level {
  GitTreeHandle tree;
  std::size_t next = 0;
  std::string prefix;  // Raw path bytes, ends in '/' unless empty.
};

class TreeWalk {
 public:
  TreeWalk(git_repository* repository, const SnapshotLimits& limits) : repository_(repository), limits_(limits) {}

  void run(const git_tree* root) {
    git_tree* copy = nullptr;
    if (git_tree_dup(&copy, const_cast<git_tree*>(root)) != 0) return;
    levels_.push_back({GitTreeHandle(copy), 0, ""});
    while (!levels_.empty() && !full()) {
      Level& level = levels_.back();
      if (level.next == git_tree_entrycount(level.tree.get())) {
        levels_.pop_back();
        continue;
      }
      const git_tree_entry* entry = git_tree_entry_byindex(level.tree.get(), level.next++);
      visit(entry, level.prefix + git_tree_entry_name(entry));
    }
    if (trees_visited_ > limits_.max_files) {
      problems.push_back({"", fmt::format("more than {} folders; the rest is left out", limits_.max_files)});
    }
  }

  std::vector<FileEntry> files;
  std::vector<SnapshotProblem> problems;

 private:
  bool full() {
    // One more than the limit, so that Snapshot reports that there is more. Folders count as well: a tree that names
    // itself ten times at each of ten levels has no file at all and ten thousand million folders.
    return files.size() > limits_.max_files || trees_visited_ > limits_.max_files;
  }

  void visit(const git_tree_entry* entry, std::string raw_path) {
    const git_oid& id = *git_tree_entry_id(entry);
    const auto mode = static_cast<std::uint32_t>(git_tree_entry_filemode(entry));
    if (mode == GIT_FILEMODE_TREE) {
      enter(id, std::move(raw_path));
      return;
    }
    FileEntry file{escape_path(raw_path), hex(id), 0, FileKind::file, mode};
    if (mode == GIT_FILEMODE_LINK) file.kind = FileKind::symlink;
    if (mode == GIT_FILEMODE_COMMIT) file.kind = FileKind::submodule;
    files.push_back(std::move(file));
  }

  void enter(const git_oid& id, std::string raw_path) {
    ++trees_visited_;
    if (levels_.size() >= kMaxDepth || raw_path.size() > limits_.max_path_bytes) {
      problems.push_back({escape_path(raw_path.substr(0, 80)), "folders are nested too deeply; this one is left out"});
      return;
    }
    auto tree = git_make<GitTreeHandle>([&](git_tree** out) { return git_tree_lookup(out, repository_, &id); });
    if (!tree) {
      problems.push_back({escape_path(raw_path), "this folder's listing is not in this clone; it is left out"});
      return;
    }
    levels_.push_back({std::move(tree), 0, std::move(raw_path) + "/"});
  }

  git_repository* repository_;
  SnapshotLimits limits_;
  std::vector<Level> levels_;
  std::size_t trees_visited_ = 0;
};

void fill_sizes(std::vector<FileEntry>& files, const ObjectPool& objects) {
  GitOdbHandle database = objects.take();
  if (!database) return;
  // Asking for a missing object makes libgit2 list the object folder again. One such miss tells of a partial clone,
  // where thousands may follow: from then on, objects are first looked for without that.
  bool partial = false;
  for (FileEntry& file : files) {
    if (file.kind == FileKind::submodule) continue;
    const git_oid id = oid_of(file.content_id);
    if (partial && git_odb_exists_ext(database.get(), &id, GIT_ODB_LOOKUP_NO_REFRESH) != 1) continue;
    std::size_t size_bytes = 0;
    git_object_t type{};
    if (git_odb_read_header(&size_bytes, &type, database.get(), &id) == 0) {
      file.size_bytes = size_bytes;
    } else {
      partial = true;
    }
  }
  objects.give_back(std::move(database));
}

}  // namespace

Snapshot tree_snapshot(git_repository* repository, const git_tree* tree, std::shared_ptr<const ObjectPool> objects,
                       const SnapshotLimits& limits) {
  TreeWalk walk(repository, limits);
  walk.run(tree);
  fill_sizes(walk.files, *objects);
  return Snapshot(std::move(walk.files), std::make_shared<TreeSource>(std::move(objects)), std::move(walk.problems),
                  limits);
}

}  // namespace lockstep::repo
