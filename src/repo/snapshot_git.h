// The snapshots that come out of a Git repository: a tree of its object database, and its working tree. Private to this
// room; Repository is the way in.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "repo/git_handles.h"
#include "repo/snapshot.h"

namespace lockstep::repo {

/// Files of `tree`. Subtrees missing from the clone become problems. The objects stay readable through `objects`.
Snapshot tree_snapshot(git_repository* repository, const git_tree* tree, std::shared_ptr<const ObjectPool> objects,
                       const SnapshotLimits& limits);

/// Files in the work tree at `root`: tracked ones as they are on disk, with Git's built-in line-end rules applied
/// (never an external filter), and untracked ones that are not ignored.
Result<Snapshot> worktree_snapshot(git_repository* repository, const std::string& root,
                                   std::shared_ptr<const ObjectPool> objects, const SnapshotLimits& limits);

}  // namespace lockstep::repo
