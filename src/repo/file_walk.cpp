#include "repo/file_walk.h"

#include <algorithm>

#include "base/paths.h"
#include "repo/renames.h"
#include "repo/repository_state.h"

namespace lockstep::repo {
namespace {

// Larger ones are lock files and data: who wrote their lines says nothing, and following them costs half a second.
constexpr std::size_t kMostBlobBytes = 512u << 10;
constexpr std::size_t kMostGone = 60;  // files that a commit takes away: of more, a rename is not looked for among all

struct WalkedFile {
  std::string raw_path;
  std::optional<git_oid> blob;  // as of the newer commit
  bool is_open = true;
};

std::optional<git_oid> blob_at(const git_tree* tree, const std::string& raw_path) {
  git_tree_entry* entry = nullptr;
  if (git_tree_entry_bypath(&entry, tree, raw_path.c_str()) != 0) return std::nullopt;
  const bool is_blob = git_tree_entry_type(entry) == GIT_OBJECT_BLOB;
  const git_oid id = *git_tree_entry_id(entry);
  git_tree_entry_free(entry);
  return is_blob ? std::optional<git_oid>(id) : std::nullopt;
}

std::optional<std::string> text_of(git_repository* git, const git_oid& id) {
  git_blob* blob = nullptr;
  if (git_blob_lookup(&blob, git, &id) != 0) return std::nullopt;
  const auto size = static_cast<std::size_t>(git_blob_rawsize(blob));
  std::optional<std::string> text;
  if (size <= kMostBlobBytes) text.emplace(static_cast<const char*>(git_blob_rawcontent(blob)), size);
  git_blob_free(blob);
  return text;
}

GitTreeHandle tree_of(const git_commit* commit) {
  return git_make<GitTreeHandle>([&](git_tree** out) { return git_commit_tree(out, commit); });
}

struct Gone {
  std::string path;
  git_oid blob;
};

/// Files of the kind that the commit takes away, those of the same name first.
std::vector<Gone> files_gone(git_repository* git, const git_tree* before, const git_tree* after,
                             const std::string& path) {
  std::vector<Gone> gone;
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;
  options.flags = GIT_DIFF_SKIP_BINARY_CHECK;
  const auto diff = git_make<GitDiffHandle>([&](git_diff** out) {
    return git_diff_tree_to_tree(out, git, const_cast<git_tree*>(before), const_cast<git_tree*>(after), &options);
  });
  if (!diff) return gone;
  for (std::size_t i = 0; i < git_diff_num_deltas(diff.get()); ++i) {
    const git_diff_delta* delta = git_diff_get_delta(diff.get(), i);
    if (delta->status == GIT_DELTA_DELETED && extension_of(delta->old_file.path) == extension_of(path))
      gone.push_back({delta->old_file.path, delta->old_file.id});
  }
  std::stable_partition(gone.begin(), gone.end(), [&](const Gone& one) { return name_of(one.path) == name_of(path); });
  if (gone.size() > kMostGone) gone.resize(kMostGone);
  return gone;
}

class Walk {
 public:
  Walk(git_repository* git, const std::vector<std::string>& paths, const std::function<bool(const FileStep&)>& visit)
      : git_(git), visit_(visit) {
    for (const std::string& path : paths) files_.push_back({unescape_path(path), std::nullopt, true});
  }

  void run(GitCommitHandle commit, std::size_t most) {
    GitTreeHandle tree = tree_of(commit.get());
    if (!tree) return;
    for (WalkedFile& file : files_) {
      file.blob = blob_at(tree.get(), file.raw_path);
      file.is_open = file.blob.has_value();
    }
    for (std::size_t walked = 0; walked < most && has_open(); ++walked) {
      GitCommitHandle parent;
      GitTreeHandle parent_tree;
      if (git_commit_parentcount(commit.get()) > 0) {
        parent = git_make<GitCommitHandle>([&](git_commit** out) { return git_commit_parent(out, commit.get(), 0); });
        if (parent) parent_tree = tree_of(parent.get());
        if (!parent_tree) return;  // a shallow clone ends here
      }
      step(commit.get(), parent_tree.get());
      if (!parent) return;
      commit = std::move(parent);
    }
  }

 private:
  [[nodiscard]] bool has_open() const {
    return std::any_of(files_.begin(), files_.end(), [](const WalkedFile& file) { return file.is_open; });
  }

  void step(const git_commit* commit, const git_tree* parent) {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      WalkedFile& file = files_[i];
      if (!file.is_open) continue;
      std::optional<git_oid> older = parent == nullptr ? std::nullopt : blob_at(parent, file.raw_path);
      if (older && git_oid_equal(&*older, &*file.blob) != 0) continue;
      std::string renamed_from;
      if (!older && parent != nullptr) {
        if (std::optional<Gone> gone = renamed(commit, parent, file)) {
          older = gone->blob;
          file.raw_path = gone->path;
          renamed_from = escape_path(gone->path);
        }
      }
      FileStep step{i, commit, !older.has_value(), std::move(renamed_from), {}, {}};
      step.before = [this, older] { return older ? text_of(git_, *older) : std::nullopt; };
      step.after = [this, newer = *file.blob] { return text_of(git_, newer); };
      const bool goes_on = visit_(step);
      file.blob = older;
      file.is_open = goes_on && older.has_value();
    }
  }

  /// Where the file was before the commit, if it took it from another path.
  [[nodiscard]] std::optional<Gone> renamed(const git_commit* commit, const git_tree* parent,
                                            const WalkedFile& file) const {
    const GitTreeHandle tree = tree_of(commit);
    const std::optional<std::string> text = tree ? text_of(git_, *file.blob) : std::nullopt;
    if (!text) return std::nullopt;
    std::optional<Gone> best;
    int most = kMinSimilarityPercent - 1;
    for (Gone& one : files_gone(git_, parent, tree.get(), file.raw_path)) {
      const std::optional<std::string> old_text = text_of(git_, one.blob);
      const int percent = old_text ? similarity_percent(*text, *old_text) : 0;
      if (percent <= most) continue;
      most = percent;
      best = std::move(one);
    }
    return best;
  }

  git_repository* git_;
  const std::function<bool(const FileStep&)>& visit_;
  std::vector<WalkedFile> files_;
};

}  // namespace

void walk_files(const Repository& repository, std::string_view revision, const std::vector<std::string>& paths,
                std::size_t most, const std::function<bool(const FileStep&)>& visit) {
  if (!repository.is_git() || paths.empty() || revision.empty()) return;
  const Result<std::string> id = repository.resolve(revision);
  if (!id) return;
  ensure_libgit2();
  // A handle of its own: the walk is long, and others may ask the repository meanwhile.
  const auto git = git_make<GitRepositoryHandle>(
      [&](git_repository** out) { return git_repository_open(out, repository.root().c_str()); });
  if (!git) return;
  const git_oid oid = oid_of(*id);
  auto commit = git_make<GitCommitHandle>([&](git_commit** out) { return git_commit_lookup(out, git.get(), &oid); });
  if (commit) Walk(git.get(), paths, visit).run(std::move(commit), most);
}

}  // namespace lockstep::repo
