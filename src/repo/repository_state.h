// What a Repository holds. Private to this room.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "repo/git_handles.h"
#include "repo/repository.h"

namespace lockstep::repo {

/// libgit2 allows one thread at a time in a git_repository: whoever uses `git` holds `mutex`.
struct Repository::State {
  std::mutex mutex;
  std::string root;
  bool bare = false;
  GitRepositoryHandle git;  ///< Null for a plain folder.
  std::string git_problem;  ///< Why a folder's `.git` could not be opened.
  std::shared_ptr<const ObjectPool> objects;

  /// The object that a revision names (a commit, annotated tag or tree). Holds `mutex` already.
  [[nodiscard]] Result<GitObjectHandle> find_object(std::string_view revision) const;
  /// The commit that a revision names. Holds `mutex` already.
  [[nodiscard]] Result<GitCommitHandle> find_commit(std::string_view revision) const;

 private:
  [[nodiscard]] tl::unexpected<Error> unknown_revision(std::string_view revision) const;
};

/// Id, message, author, date and parents of a commit.
CommitInfo info_of(const git_commit* commit);

}  // namespace lockstep::repo
