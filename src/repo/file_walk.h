// Walks back through the history with some files, stopping at each commit that changed one of them, and on under the
// older name where a commit renamed one. It follows first parents; where a merge took a file from another parent as it
// was there, it goes on with that file along that one, since the merge did nothing to it. Private to this room.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repo/git_handles.h"
#include "repo/repository.h"

namespace lockstep::repo {

/// A file as a further parent of a merge has it.
struct OtherParent {
  std::string commit;                                ///< 40 hex digits.
  std::string path;                                  ///< Escaped.
  std::function<std::optional<std::string>()> text;  ///< As FileStep::before.
};

/// A commit that changed a file.
struct FileStep {
  std::size_t file = 0;  ///< Index of the path.
  const git_commit* commit = nullptr;
  bool is_new = false;       ///< The commit added the file.
  std::string renamed_from;  ///< Where it had the file from another path: that one, which is followed from there on.
  /// The file's text before and after the commit; absent where it cannot be read or is too long.
  std::function<std::optional<std::string>()> before, after;
  /// Of a merge that made the file out of several parents: those beside the one that is followed.
  std::vector<OtherParent> others;
  std::size_t left = 0;  ///< How many commits may still be walked behind this one.
};

/// Calls `visit` with each commit, newest first, that changed one of `paths` (escaped), until it has said of each file
/// that no more is wanted (false), the history ends, or `most` commits were walked. Nothing where the history or the
/// revision cannot be read.
void walk_files(const Repository& repository, std::string_view revision, const std::vector<std::string>& paths,
                std::size_t most, const std::function<bool(const FileStep&)>& visit);

}  // namespace lockstep::repo
