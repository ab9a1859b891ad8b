// A change → the playbook lines that it makes false, or writes false: what `playbook check` says of the after side and
// did not say of the before side. Leaves out what was false before, and remarks that are no claims (sizes, secrets).
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

}  // namespace lockstep::playbook
