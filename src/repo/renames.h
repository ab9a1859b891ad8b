// Which deleted files live on under a new name. Private to this room.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "repo/snapshot.h"

namespace lockstep::repo {

struct RenamePair {
  std::size_t deleted = 0;  ///< Index into the list of deleted files given.
  std::size_t added = 0;    ///< Index into the list of added files given.
  int similarity_percent = 0;
};

/// What two files share of the larger one's bytes, line by line, as Git counts it.
int similarity_percent(std::string_view a, std::string_view b);
inline constexpr int kMinSimilarityPercent = 50;  ///< Of a renamed file: Git's default (-M50%).

/// ".py" of "a/b.py"; empty where there is none.
std::string_view extension_of(std::string_view path);

/// Pairs `deleted` (indices into before.files()) with `added` (into after.files()), each at most once: first equal
/// content ids, then files with the same extension that share at least half of the larger one's bytes, line by line, as
/// Git counts it. Sorted by `added`. Files that cannot be read are not paired.
std::vector<RenamePair> find_renames(const Snapshot& before, const std::vector<std::size_t>& deleted,
                                     const Snapshot& after, const std::vector<std::size_t>& added);

}  // namespace lockstep::repo
