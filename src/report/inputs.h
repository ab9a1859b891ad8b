// What the documents are written from: the two sides, what differs, what was found, and the change's own words. The
// driver fills it; everything it refers to outlives the writing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "change/change.h"
#include "mesh/mesh.h"
#include "program/program.h"
#include "program/queries.h"
#include "repo/repository.h"
#include "repo/snapshot.h"
#include "rules/finding.h"

namespace lockstep::report {

struct DocumentInputs {
  std::string title;                      ///< Of the pull request or the only commit; may be empty.
  std::string body;                       ///< As written, template and trailers included; may be empty.
  std::string author;                     ///< May be empty.
  std::string number;                     ///< "#1234" for a pull request; may be empty.
  bool is_pull_request = false;           ///< Title and body are a pull request's, not a commit's.
  std::vector<repo::CommitInfo> commits;  ///< Oldest first; may be empty.
  std::string before_name;                ///< For people; see repo::ChangeSides.
  std::string after_name;
  std::string before_commit;  ///< 40 hex digits or empty.
  std::string after_commit;
  const program::Program* before = nullptr;                  ///< Never null when writing.
  const program::Program* after = nullptr;                   ///< Never null when writing.
  const mesh::MeshAnalysis* before_mesh = nullptr;           ///< May be null.
  const mesh::MeshAnalysis* after_mesh = nullptr;            ///< May be null: then collectives are not told.
  const change::Change* change = nullptr;                    ///< Never null when writing.
  std::span<const rules::Finding> findings;                  ///< Settled and ranked as in the report.
  const std::vector<program::Reached>* step_path = nullptr;  ///< Of `after`; computed when null.
  const repo::Snapshot* before_files = nullptr;              ///< For files that are not Python; may be null.
  const repo::Snapshot* after_files = nullptr;               ///< May be null.
  std::size_t jobs = 1;                                      ///< Threads that may be used.
};

}  // namespace lockstep::report
