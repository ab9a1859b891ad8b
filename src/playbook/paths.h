// The paths of a snapshot, asked the way people write them: from the root, from the file that speaks, by the last
// components alone, as a glob. Symbolic links count as what they point to.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/paths.h"
#include "repo/snapshot.h"

namespace lockstep::playbook {

class Paths {
 public:
  Paths() = default;
  explicit Paths(const repo::Snapshot& snapshot);

  [[nodiscard]] bool has_file(std::string_view path) const { return files_.contains(path); }
  [[nodiscard]] bool has_folder(std::string_view path) const { return folders_.contains(path); }
  /// A file or folder, after following the symbolic links in `path`.
  [[nodiscard]] bool has(std::string_view path) const;
  /// `path` with symbolic links replaced by where they point, "." and ".." resolved; nullopt if that leaves the tree.
  [[nodiscard]] std::optional<std::string> resolve(std::string_view path) const;
  /// Files whose path ends in these whole components ("moe/router.py"); a folder's with a trailing '/'. Sorted.
  [[nodiscard]] std::vector<std::string> ending_in(std::string_view tail) const;
  /// Whether any file or folder matches; `*`, `?`, `**` and `{a,b}` as shells know them.
  [[nodiscard]] bool matches(std::string_view glob) const;
  /// The existing path that a missing one most likely means: the same name elsewhere, or a name spelled nearly so.
  [[nodiscard]] std::string nearest(std::string_view path) const;
  [[nodiscard]] const std::set<std::string, std::less<>>& files() const { return files_; }
  [[nodiscard]] const std::set<std::string, std::less<>>& folders() const { return folders_; }
  /// Symbolic links and the text they hold.
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& links() const { return links_; }

 private:
  std::set<std::string, std::less<>> files_;
  std::set<std::string, std::less<>> folders_;
  std::map<std::string, std::string, std::less<>> links_;
  std::map<std::string, std::vector<std::string>, std::less<>> by_name_;  // last component → paths (folders end in '/')
};

}  // namespace lockstep::playbook
