// The playbook commands: a repository's revision → its playbooks held against it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/timings.h"
#include "playbook/check.h"
#include "playbook/write.h"
#include "repo/repository.h"
#include "report/report.h"

namespace lockstep::driver {

struct PlaybookRequest {
  std::optional<std::string> revision;  ///< The working tree (or HEAD of a bare repository) when absent.
  std::vector<std::string> files;  ///< All playbooks when empty; paths from the root, or files on disk from anywhere.
  std::size_t jobs = 1;
};

struct CheckedPlaybooks {
  report::Report report;
  std::size_t claims_held = 0;
  std::size_t playbooks = 0;
};

/// Error: unknown revision, or a file that neither the tree nor the disk has.
Result<CheckedPlaybooks> check_playbooks(const repo::Repository& repository, const PlaybookRequest& request,
                                         Timings& timings);

/// Markdown of it.
std::string write_playbook_check(const CheckedPlaybooks& checked);

struct PlaybookWriteRequest {
  std::optional<std::string> revision;  ///< As in PlaybookRequest.
  std::optional<std::string> update;    ///< The playbook whose stale lines are renewed; a new one when absent.
  std::size_t tokens = 1500;
  bool sources = false;
  std::size_t jobs = 1;
};

/// A new playbook, or the renewed one (then with what is left to a person).
Result<playbook::Updated> write_playbook(const repo::Repository& repository, const PlaybookWriteRequest& request,
                                         Timings& timings);

/// TOML that proposes for lockstep.toml what the playbooks ask for; `config` replaces the tree's own configuration.
Result<std::string> propose_rules(const repo::Repository& repository, const PlaybookRequest& request,
                                  const std::optional<std::string>& config);

}  // namespace lockstep::driver
