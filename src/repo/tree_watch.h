// A working tree as it was read -> whether it may have changed since: times, sizes and inodes of its files, of its
// folders (files come and go) and of Git's own index and HEAD. One stat for each, nothing is read. For programs that
// stay in memory; a plain run reads the tree once.
//
// Left out: what changed. Folders that tools make (build output, virtual environments) are not watched.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "repo/repository.h"
#include "repo/snapshot.h"

namespace lockstep::repo {

/// The state of what Repository::current() reads.
class TreeWatch {
 public:
  /// Nothing read yet: never current.
  TreeWatch() = default;
  /// Call right after `snapshot` was made by repository.current().
  TreeWatch(const Repository& repository, const Snapshot& snapshot);

  /// Whether all that is watched is as it was.
  [[nodiscard]] bool is_current() const;
  /// True if something was written at `time` or later, as far as the file system's clock tells: what a snapshot begun
  /// at `time` holds may be older than what this watch saw.
  [[nodiscard]] bool written_since(std::chrono::system_clock::time_point time) const;
  [[nodiscard]] std::size_t watched() const { return entries_.size(); }

 private:
  struct State {
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0;
    std::int64_t size_bytes = -1;  ///< -1: does not exist.
    std::uint64_t inode = 0;
    friend bool operator==(const State&, const State&) = default;
  };
  struct Entry {
    std::string path;  ///< Relative to root_; absolute for Git's own files.
    State state;
  };
  [[nodiscard]] static State state_of(int root, const std::string& path);
  void add_folders(int root);

  std::string root_;
  std::vector<Entry> entries_;
  std::string head_;  ///< Commit that HEAD named; of a repository without a work tree all that counts.
  Repository repository_;
  bool taken_ = false;
};

}  // namespace lockstep::repo
