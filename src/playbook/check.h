// Playbooks × repository → findings: every claim that a machine can hold is held against the files, the code and the
// configuration of one revision. What it cannot hold (advice, examples, other repositories, URLs, shell variables) it
// leaves alone: an accusation is made only where nothing in the repository could make the line true.
#pragma once

#include <string>
#include <vector>

#include "playbook/files.h"
#include "playbook/ground.h"
#include "program/program.h"
#include "repo/repository.h"
#include "repo/snapshot.h"
#include "report/report.h"
#include "rules/finding.h"

namespace lockstep::playbook {

struct CheckInputs {
  const repo::Snapshot& snapshot;
  const program::Program& program;               ///< Of the snapshot.
  const repo::Repository* repository = nullptr;  ///< For the history of renamed paths; null without one.
  std::string revision;                          ///< From where that history is read: "HEAD" or a revision.
  std::vector<std::string> files;                ///< Playbooks to hold; all that are found when empty.
  std::size_t jobs = 1;
};

struct CheckResult {
  std::vector<rules::Finding> findings;  ///< Sorted by path and line.
  std::size_t claims_held = 0;           ///< Claims looked at and found true.
  std::size_t playbooks = 0;
  std::size_t lines = 0;
};

CheckResult check_playbooks(const CheckInputs& inputs);
/// The same for playbooks that are read already, against a ground that is gathered already. `repository` may be null.
/// `all` are the playbooks whole where `playbooks` are parts of them: what any block defines is known to every line.
CheckResult hold_playbooks(const Ground& ground, const Playbooks& playbooks, const repo::Repository* repository,
                           std::string_view revision, const Playbooks* all = nullptr);

/// The findings of a check as a report: ranked, with fingerprints that survive unrelated edits.
report::Report report_of(CheckResult result, const repo::Snapshot& snapshot);

/// Tokens of a text as language models count them, roughly: four bytes each.
std::size_t token_count(std::string_view text);

}  // namespace lockstep::playbook
