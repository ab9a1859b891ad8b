#include "repo/line_history.h"

#include <algorithm>
#include <optional>

#include "repo/diff.h"
#include "repo/repository_state.h"

namespace lockstep::repo {
namespace {

// Larger ones are lock files and data: who wrote their lines says nothing, and following them costs half a second.
constexpr std::size_t kMostBlobBytes = 512u << 10;

/// A file on its way back through the history.
struct Tracked {
  std::string raw_path;
  std::optional<git_oid> blob;       // as of the newer commit
  std::vector<std::uint32_t> lines;  // of that blob, still without an origin
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

void add_origin(FileHistory& history, const git_commit* commit, std::size_t lines) {
  if (lines > 0) history.wrote.push_back({info_of(commit), static_cast<std::uint32_t>(lines)});
}

// `commit` turned the blob `older` (none: it added the file) into the tracked one.
void attribute(git_repository* git, const git_commit* commit, const std::optional<git_oid>& older, Tracked& file,
               FileHistory& history) {
  if (history.newest.size() < kMostNewest) history.newest.push_back(info_of(commit));
  if (!older) {
    add_origin(history, commit, file.lines.size());
    file.lines.clear();
    file.is_open = false;
    return;
  }
  if (!file.lines.empty()) {
    const std::optional<std::string> before = text_of(git, *older), after = text_of(git, *file.blob);
    if (!before || !after) {
      file.is_open = false;
      return;
    }
    const LineDiff diff = diff_lines(*before, *after);
    std::vector<std::uint32_t> kept;
    for (const std::uint32_t line : file.lines) {
      if (const auto old = diff.map_new_to_old(line)) kept.push_back(*old);
    }
    add_origin(history, commit, file.lines.size() - kept.size());
    file.lines = std::move(kept);
  }
  file.blob = older;
  file.is_open = !file.lines.empty() || history.newest.size() < kMostNewest;
}

class Walk {
 public:
  Walk(git_repository* git, const std::vector<TouchedLines>& files) : git_(git), histories_(files.size()) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      histories_[i].path = files[i].path;
      files_.push_back({unescape_path(files[i].path), std::nullopt, files[i].lines, true});
    }
  }

  std::vector<FileHistory> run(GitCommitHandle commit) {
    GitTreeHandle tree = tree_of(commit.get());
    if (!tree) return std::move(histories_);
    for (Tracked& file : files_) {
      file.blob = blob_at(tree.get(), file.raw_path);
      file.is_open = file.blob.has_value();
    }
    for (std::size_t walked = 0; walked < kMostWalked && has_open(); ++walked) {
      GitCommitHandle parent;
      GitTreeHandle parent_tree;
      if (git_commit_parentcount(commit.get()) > 0) {
        parent = git_make<GitCommitHandle>([&](git_commit** out) { return git_commit_parent(out, commit.get(), 0); });
        if (parent) parent_tree = tree_of(parent.get());
        if (!parent_tree) break;  // a shallow clone ends here
      }
      step(commit.get(), parent_tree.get());
      if (!parent) break;
      commit = std::move(parent);
    }
    for (std::size_t i = 0; i < files_.size(); ++i)
      histories_[i].older = static_cast<std::uint32_t>(files_[i].lines.size());
    return std::move(histories_);
  }

 private:
  static GitTreeHandle tree_of(const git_commit* commit) {
    return git_make<GitTreeHandle>([&](git_tree** out) { return git_commit_tree(out, commit); });
  }

  [[nodiscard]] bool has_open() const {
    return std::any_of(files_.begin(), files_.end(), [](const Tracked& file) { return file.is_open; });
  }

  void step(const git_commit* commit, const git_tree* parent) {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      Tracked& file = files_[i];
      if (!file.is_open) continue;
      const std::optional<git_oid> older = parent == nullptr ? std::nullopt : blob_at(parent, file.raw_path);
      if (older && git_oid_equal(&*older, &*file.blob) != 0) continue;
      attribute(git_, commit, older, file, histories_[i]);
    }
  }

  git_repository* git_;
  std::vector<FileHistory> histories_;
  std::vector<Tracked> files_;
};

}  // namespace

std::vector<FileHistory> line_histories(const Repository& repository, std::string_view revision,
                                        const std::vector<TouchedLines>& files) {
  if (!repository.is_git() || files.empty() || revision.empty()) return {};
  const Result<std::string> id = repository.resolve(revision);
  if (!id) return {};
  ensure_libgit2();
  // A handle of its own: the walk is long, and others may ask the repository meanwhile.
  const auto git = git_make<GitRepositoryHandle>(
      [&](git_repository** out) { return git_repository_open(out, repository.root().c_str()); });
  if (!git) return {};
  const git_oid oid = oid_of(*id);
  auto commit = git_make<GitCommitHandle>([&](git_commit** out) { return git_commit_lookup(out, git.get(), &oid); });
  if (!commit) return {};
  return Walk(git.get(), files).run(std::move(commit));
}

}  // namespace lockstep::repo
