#include "repo/file_walk.h"

#include <algorithm>
#include <map>
#include <utility>

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
    for (const std::string& path : paths) files_.push_back({unescape_path(path), std::nullopt});
  }

  void run(GitCommitHandle commit, std::size_t most) {
    const GitTreeHandle tree = tree_of(commit.get());
    if (!tree) return;
    Branch first{std::move(commit), {}, most};
    for (std::size_t i = 0; i < files_.size(); ++i) {
      files_[i].blob = blob_at(tree.get(), files_[i].raw_path);
      if (files_[i].blob) first.files.push_back(i);
    }
    branches_.push_back(std::move(first));
    while (!branches_.empty()) {
      Branch branch = std::move(branches_.back());
      branches_.pop_back();
      walk(std::move(branch));
    }
  }

 private:
  /// A line of history that some of the files are followed along.
  struct Branch {
    GitCommitHandle commit;
    std::vector<std::size_t> files;
    std::size_t left = 0;
  };

  void walk(Branch branch) {
    while (branch.left > 0 && !branch.files.empty()) {
      --branch.left;
      GitCommitHandle first;
      GitTreeHandle tree;
      if (git_commit_parentcount(branch.commit.get()) > 0) {
        first = parent_of(branch.commit.get(), 0);
        if (first) tree = tree_of(first.get());
        if (!tree) return;  // a shallow clone ends here
      }
      std::map<unsigned int, std::vector<std::size_t>> elsewhere;  // by the number of the parent
      std::vector<std::size_t> here;
      for (const std::size_t i : branch.files) {
        const std::optional<unsigned int> next = step(branch.commit.get(), tree.get(), i, branch.left);
        if (next) (*next == 0 ? here : elsewhere[*next]).push_back(i);
      }
      for (auto& [number, files] : elsewhere) {
        if (GitCommitHandle other = parent_of(branch.commit.get(), number))
          branches_.push_back({std::move(other), std::move(files), branch.left});
      }
      if (!first) return;
      branch.files = std::move(here);
      branch.commit = std::move(first);
    }
  }

  static GitCommitHandle parent_of(const git_commit* commit, unsigned int number) {
    return git_make<GitCommitHandle>([&](git_commit** out) { return git_commit_parent(out, commit, number); });
  }

  /// What the commit did to file `i`, told to the visitor -> the number of the parent along which it is followed;
  /// nullopt where it is not.
  std::optional<unsigned int> step(const git_commit* commit, const git_tree* first, std::size_t i, std::size_t left) {
    WalkedFile& file = files_[i];
    std::optional<git_oid> older = first == nullptr ? std::nullopt : blob_at(first, file.raw_path);
    if (older && git_oid_equal(&*older, &*file.blob) != 0) return 0;
    unsigned int parent = 0;
    std::vector<OtherParent> others;
    for (unsigned int number = 1; number < git_commit_parentcount(commit); ++number) {
      const GitCommitHandle other = parent_of(commit, number);
      const GitTreeHandle tree = other ? tree_of(other.get()) : nullptr;
      const std::optional<git_oid> blob = tree ? blob_at(tree.get(), file.raw_path) : std::nullopt;
      if (!blob) continue;
      if (git_oid_equal(&*blob, &*file.blob) != 0) return number;  // The merge took it from there as it was.
      if (!older) {
        older = blob;
        parent = number;
      } else {
        others.push_back({hex(*git_commit_id(other.get())), escape_path(file.raw_path),
                          [this, id = *blob] { return text_of(git_, id); }});
      }
    }
    std::string renamed_from;
    if (!older && first != nullptr) {
      if (std::optional<Gone> gone = renamed(commit, first, file)) {
        older = gone->blob;
        file.raw_path = gone->path;
        renamed_from = escape_path(gone->path);
      }
    }
    FileStep step{i, commit, !older.has_value(), std::move(renamed_from), {}, {}, std::move(others), left};
    step.before = [this, older] { return older ? text_of(git_, *older) : std::nullopt; };
    step.after = [this, newer = *file.blob] { return text_of(git_, newer); };
    const bool goes_on = visit_(step);
    file.blob = older;
    return goes_on && older ? std::optional<unsigned int>(parent) : std::nullopt;
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
  std::vector<Branch> branches_;  // to be walked
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
