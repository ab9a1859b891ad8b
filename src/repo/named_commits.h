// Commits of the history that a change's message says it takes back or brings again ("This reverts commit 1a2b3c4.",
// `Reapply "Title (#12)" (#15)`), and how the lines that each changed compare with those of the change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "repo/change_spec.h"
#include "repo/repository.h"

namespace lockstep::repo {

/// What a message names: one of the three.
struct CommitReference {
  std::string id;      ///< 7 to 40 hex digits.
  std::string title;   ///< The subject of the commit.
  std::string number;  ///< "#12", at the end of its subject.
};

/// What a title or body that speaks of reverting, reapplying, relanding, backing out or cherry-picking names: ids
/// behind such a word, the quoted title, numbers in the title but for the last one in parentheses, which is the
/// change's own.
std::vector<CommitReference> commits_named_in(std::string_view title, std::string_view body);

/// Fills ChangeSides::named: the commits so named that are ancestors' of the change, at most three, and for one that is
/// itself of this kind the one that it names. What cannot be read is left out.
void find_named_commits(const Repository& repository, ChangeSides& sides);

}  // namespace lockstep::repo
