// Opening a repository, and its snapshots. Revisions and history are in repository_history.cpp.
#include "repo/repository.h"

#include <fmt/format.h>

#include <utility>

#include "repo/discover.h"
#include "repo/git_handles.h"
#include "repo/repository_state.h"
#include "repo/snapshot_git.h"

namespace lockstep::repo {
namespace {

std::string objects_folder_of(git_repository* repository) {
  git_buf buffer = GIT_BUF_INIT;
  std::string folder;
  if (git_repository_item_path(&buffer, repository, GIT_REPOSITORY_ITEM_OBJECTS) == 0) folder = buffer.ptr;
  git_buf_dispose(&buffer);
  return folder;
}

// Opens without a search of its own. The work tree is where its `.git` stands, whatever core.worktree claims: the
// config belongs to the analysed repository and must not point us elsewhere.
GitRepositoryHandle open_git(const Place& place) {
  ensure_libgit2();
  const char* folder = place.folder.c_str();
  if (place.kind == PlaceKind::bare) {
    return git_make<GitRepositoryHandle>([&](git_repository** out) { return git_repository_open_bare(out, folder); });
  }
  auto repository = git_make<GitRepositoryHandle>([&](git_repository** out) {
    return git_repository_open_ext(out, folder, GIT_REPOSITORY_OPEN_NO_SEARCH, nullptr);
  });
  if (repository && git_repository_is_bare(repository.get()) == 0) {
    // Only where it differs: libgit2 1.5 leaks the path otherwise.
    const char* claimed = git_repository_workdir(repository.get());
    if (claimed == nullptr || place.folder + "/" != claimed) git_repository_set_workdir(repository.get(), folder, 0);
  }
  return repository;
}

std::string advice_for(const std::string& problem) {
  if (problem.find("extension") != std::string::npos || problem.find("objectformat") != std::string::npos) {
    return "use a clone with SHA-1 objects and the files reference format (Git's defaults)";
  }
  return "check it with `git -C PATH status`";
}

}  // namespace

Result<Repository> Repository::open(const std::string& path) {
  Result<Place> place = discover(path);
  if (!place) return tl::unexpected(place.error());
  auto state = std::make_shared<State>();
  state->root = place->folder;
  if (place->kind != PlaceKind::plain) {
    state->git = open_git(*place);
    if (!state->git) {
      state->git_problem = git_error_text();
      // A copied folder often has a `.git` that leads nowhere; its files can still be read.
      if (place->kind == PlaceKind::bare) {
        return fail(fmt::format("the Git repository {} cannot be opened: {}", place->folder, state->git_problem),
                    advice_for(state->git_problem));
      }
    } else {
      state->bare = place->kind == PlaceKind::bare || git_repository_is_bare(state->git.get()) == 1;
      if (state->bare) state->root = place->kind == PlaceKind::bare ? place->folder : place->folder + "/.git";
      state->objects = std::make_shared<ObjectPool>(objects_folder_of(state->git.get()));
    }
  }
  Repository repository;
  repository.state_ = std::move(state);
  return repository;
}

bool Repository::is_git() const { return state_->git != nullptr; }
bool Repository::is_bare() const { return state_->bare; }
const std::string& Repository::root() const { return state_->root; }

Result<Snapshot> Repository::snapshot_at(std::string_view revision, const SnapshotLimits& limits) const {
  const std::lock_guard lock(state_->mutex);
  Result<GitObjectHandle> object = state_->find_object(revision);
  if (!object) return tl::unexpected(object.error());
  git_object* peeled = nullptr;
  if (git_object_peel(&peeled, object->get(), GIT_OBJECT_TREE) != 0) {
    return fail(fmt::format("the files of '{}' cannot be listed: {}", revision, git_error_text()),
                "its tree may be missing from a partial clone; `git fetch --refetch` gets all of it");
  }
  const GitObjectHandle tree(peeled);
  return tree_snapshot(state_->git.get(), reinterpret_cast<const git_tree*>(tree.get()), state_->objects, limits);
}

Result<Snapshot> Repository::worktree(const SnapshotLimits& limits) const {
  if (state_->bare) {
    return fail(fmt::format("{} is a bare repository: it has no working tree", state_->root), "name a revision");
  }
  if (state_->git) {
    const std::lock_guard lock(state_->mutex);
    return worktree_snapshot(state_->git.get(), state_->root, state_->objects, limits);
  }
  Result<Snapshot> snapshot = directory_snapshot(state_->root, limits);
  if (!snapshot || state_->git_problem.empty()) return snapshot;
  return with_problem(*snapshot,
                      {"", fmt::format("the folder's Git repository cannot be opened ({}); its files are read "
                                       "without it, ignored ones included",
                                       state_->git_problem)});
}

Result<Snapshot> Repository::current(const SnapshotLimits& limits) const {
  return state_->bare ? snapshot_at("HEAD", limits) : worktree(limits);
}

}  // namespace lockstep::repo
