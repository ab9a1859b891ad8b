// What the history says of paths: which commit removed or renamed one, and what recent commits touched.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "repo/repository.h"
#include "repo/repository_state.h"

namespace lockstep::repo {
namespace {

GitRevwalkHandle first_parent_walk(git_repository* git, const git_commit* head) {
  auto walk = git_make<GitRevwalkHandle>([&](git_revwalk** out) { return git_revwalk_new(out, git); });
  if (!walk || git_revwalk_sorting(walk.get(), GIT_SORT_TOPOLOGICAL) != 0 ||
      git_revwalk_simplify_first_parent(walk.get()) != 0 || git_revwalk_push(walk.get(), git_commit_id(head)) != 0) {
    return nullptr;
  }
  return walk;
}

GitTreeHandle tree_of(const git_commit* commit) {
  return git_make<GitTreeHandle>([&](git_tree** out) { return git_commit_tree(out, commit); });
}

bool has_path(const git_tree* tree, const std::string& raw_path) {
  git_tree_entry* entry = nullptr;
  if (git_tree_entry_bypath(&entry, tree, raw_path.c_str()) != 0) return false;
  git_tree_entry_free(entry);
  return true;
}

// The entry of the root tree under which the path lies: while it stays the same, so does the answer.
git_oid top_entry(const git_tree* tree, std::string_view raw_path) {
  const std::string top(raw_path.substr(0, raw_path.find('/')));
  const git_tree_entry* entry = git_tree_entry_byname(tree, top.c_str());
  return entry == nullptr ? git_oid{} : *git_tree_entry_id(entry);
}

GitDiffHandle diff_of(git_repository* git, git_tree* before, git_tree* after) {
  return git_make<GitDiffHandle>(
      [&](git_diff** out) { return git_diff_tree_to_tree(out, git, before, after, nullptr); });
}

// Where the commit between the two trees moved `raw_path`; by content where the blobs are there, else by equal blobs.
std::string renamed_to(git_repository* git, git_tree* before, git_tree* after, const std::string& raw_path) {
  for (const bool by_content : {true, false}) {
    const GitDiffHandle diff = diff_of(git, before, after);
    if (!diff) return {};
    git_diff_find_options options = GIT_DIFF_FIND_OPTIONS_INIT;
    options.flags = by_content ? GIT_DIFF_FIND_RENAMES : (GIT_DIFF_FIND_RENAMES | GIT_DIFF_FIND_EXACT_MATCH_ONLY);
    options.rename_limit = 300;
    if (git_diff_find_similar(diff.get(), &options) != 0) continue;
    for (std::size_t i = 0; i < git_diff_num_deltas(diff.get()); ++i) {
      const git_diff_delta* delta = git_diff_get_delta(diff.get(), i);
      if (delta->status == GIT_DELTA_RENAMED && raw_path == delta->old_file.path) {
        return escape_path(delta->new_file.path);
      }
    }
    return {};
  }
  return {};
}

/// One path on its way back through the history.
struct Search {
  std::string raw_path;
  git_oid top{};  // as of the last commit looked at, which lacked the path
  bool open = true;
};

std::vector<std::string> changed_paths(git_repository* git, git_tree* before, git_tree* after) {
  std::vector<std::string> paths;
  const GitDiffHandle diff = diff_of(git, before, after);
  if (!diff || git_diff_num_deltas(diff.get()) > Repository::kMaxCommitPaths) return paths;
  for (std::size_t i = 0; i < git_diff_num_deltas(diff.get()); ++i) {
    const git_diff_delta* delta = git_diff_get_delta(diff.get(), i);
    paths.push_back(escape_path(delta->status == GIT_DELTA_DELETED ? delta->old_file.path : delta->new_file.path));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

std::vector<PathFate> Repository::fates_of(std::string_view revision, const std::vector<std::string>& paths) const {
  std::vector<PathFate> fates(paths.size());
  if (!state_->git || paths.empty()) return fates;
  const std::lock_guard lock(state_->mutex);
  git_repository* git = state_->git.get();
  const Result<GitCommitHandle> head = state_->find_commit(revision);
  if (!head) return fates;
  const GitRevwalkHandle walk = first_parent_walk(git, head->get());
  if (!walk) return fates;
  std::vector<Search> searches;
  for (const std::string& path : paths) searches.push_back({unescape_path(path), {}, true});
  std::size_t open = searches.size(), seen = 0;
  GitCommitHandle child;
  GitTreeHandle child_tree;
  git_oid id{};
  while (open > 0 && seen++ < kMaxHistory && git_revwalk_next(&id, walk.get()) == 0) {
    auto commit = git_make<GitCommitHandle>([&](git_commit** out) { return git_commit_lookup(out, git, &id); });
    GitTreeHandle tree = commit ? tree_of(commit.get()) : nullptr;
    if (!tree) break;
    for (std::size_t i = 0; i < searches.size(); ++i) {
      Search& search = searches[i];
      if (!search.open) continue;
      const git_oid top = top_entry(tree.get(), search.raw_path);
      if (git_oid_equal(&top, &search.top) != 0) continue;
      search.top = top;
      if (!has_path(tree.get(), search.raw_path)) continue;
      search.open = false;
      --open;
      if (!child) continue;  // the revision itself has it: nothing became of it
      fates[i].known = true;
      fates[i].removed_by = info_of(child.get());
      fates[i].renamed_to = renamed_to(git, tree.get(), child_tree.get(), search.raw_path);
    }
    child = std::move(commit);
    child_tree = std::move(tree);
  }
  return fates;
}

std::vector<CommitPaths> Repository::recent_commits(std::string_view revision, std::size_t most) const {
  std::vector<CommitPaths> commits;
  if (!state_->git) return commits;
  const std::lock_guard lock(state_->mutex);
  git_repository* git = state_->git.get();
  const Result<GitCommitHandle> head = state_->find_commit(revision);
  if (!head) return commits;
  const GitRevwalkHandle walk = first_parent_walk(git, head->get());
  if (!walk) return commits;
  git_oid id{};
  GitTreeHandle newer;
  while (git_revwalk_next(&id, walk.get()) == 0) {
    const auto commit = git_make<GitCommitHandle>([&](git_commit** out) { return git_commit_lookup(out, git, &id); });
    GitTreeHandle tree = commit ? tree_of(commit.get()) : nullptr;
    if (!tree) return commits;
    if (newer) commits.back().paths = changed_paths(git, tree.get(), newer.get());
    if (commits.size() == most) return commits;
    commits.push_back({info_of(commit.get()), {}});
    newer = std::move(tree);
  }
  if (newer && commits.back().info.parents.empty()) commits.back().paths = changed_paths(git, nullptr, newer.get());
  return commits;
}

}  // namespace lockstep::repo
