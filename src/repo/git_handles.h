// Owning handles for libgit2's objects, and a pool of object databases so that threads read blobs in parallel. Private
// to this room: no other room sees libgit2.
#pragma once

#include <git2.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lockstep::repo {

/// Starts libgit2 once per process, set up for read-only use on repositories of any owner.
void ensure_libgit2();
/// libgit2's message for the last failed call of this thread.
std::string git_error_text();
/// The id that Git gives to these bytes as a blob: 40 hex digits.
std::string blob_id(std::string_view bytes);
std::string hex(const git_oid& id);
/// `hex_id` must be 40 hex digits.
git_oid oid_of(std::string_view hex_id);

template <auto Free>
struct GitFree {
  template <class T>
  void operator()(T* handle) const {
    Free(handle);
  }
};
template <class T, auto Free>
using GitHandle = std::unique_ptr<T, GitFree<Free>>;

using GitRepositoryHandle = GitHandle<git_repository, git_repository_free>;
using GitObjectHandle = GitHandle<git_object, git_object_free>;
using GitCommitHandle = GitHandle<git_commit, git_commit_free>;
using GitTreeHandle = GitHandle<git_tree, git_tree_free>;
using GitOdbHandle = GitHandle<git_odb, git_odb_free>;
using GitDiffHandle = GitHandle<git_diff, git_diff_free>;
using GitIndexHandle = GitHandle<git_index, git_index_free>;
using GitPatchHandle = GitHandle<git_patch, git_patch_free>;
using GitRevwalkHandle = GitHandle<git_revwalk, git_revwalk_free>;
using GitReferenceHandle = GitHandle<git_reference, git_reference_free>;
using GitRemoteHandle = GitHandle<git_remote, git_remote_free>;
using GitConfigHandle = GitHandle<git_config, git_config_free>;
using GitFilterListHandle = GitHandle<git_filter_list, git_filter_list_free>;

/// Calls `make(T**)` and owns what it made; null when it failed.
template <class Handle, class Make>
Handle git_make(Make make) {
  typename Handle::element_type* raw = nullptr;
  if (make(&raw) != 0) return nullptr;
  return Handle(raw);
}

/// Blobs of one objects folder. One libgit2 database per reading thread at a time: a shared one serialises its readers
/// (Megatron-LM's 20 MB of Python: 78 ms on two threads shared, 36 ms with one each).
class ObjectPool {
 public:
  explicit ObjectPool(std::string objects_folder) : objects_folder_(std::move(objects_folder)) {}
  /// Bytes of a blob. Error: missing or damaged object.
  [[nodiscard]] Result<std::string> read_blob(const git_oid& id, std::string_view path) const;
  /// A database for the calling thread alone until it is given back; null when the folder cannot be opened.
  [[nodiscard]] GitOdbHandle take() const;
  void give_back(GitOdbHandle database) const;

 private:
  std::string objects_folder_;
  mutable std::mutex mutex_;
  mutable std::vector<GitOdbHandle> free_;
};

}  // namespace lockstep::repo
