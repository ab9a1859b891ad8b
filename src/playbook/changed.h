// A change → the lines of playbooks and of documentation that it makes false, or writes false: what `playbook check`
// says of the after side and did not say of the before side. Leaves out what was false before, and remarks that are no
// claims (sizes, secrets).
#pragma once

#include <vector>

#include "playbook/check.h"
#include "repo/diff.h"

namespace lockstep::playbook {

struct ChangedInputs {
  const repo::Snapshot& before;
  const repo::Snapshot& after;
  const program::Program& program_before;
  const program::Program& program_after;
  const repo::SnapshotDiff& diff;
  std::size_t jobs = 1;
};

/// Findings of the rule `stale-playbook`, sorted by path and line. Costs next to nothing where no word of a playbook
/// goes.
std::vector<rules::Finding> lines_made_false(const ChangedInputs& inputs);

/// The same of Markdown files that are no playbooks, by the rule `stale-documentation`. They speak of other programs,
/// too, and of what others will write: of the lines that the change writes, only what names this repository's own code
/// and files for sure is held (imports of its packages, paths, links, flags of its scripts, defaults).
std::vector<rules::Finding> documentation_made_false(const ChangedInputs& inputs);

}  // namespace lockstep::playbook
