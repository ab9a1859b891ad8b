// A pull request -> a repository that holds its two ends, so that they can be read like any commits. Missing objects
// are fetched by git itself: into the clone's object store where the clone is of that repository (no reference, no file
// of the work tree and no FETCH_HEAD changes), else into a temporary folder with just the two commits.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "forge/github_client.h"
#include "forge/pull_request.h"
#include "repo/repository.h"

namespace lockstep::forge {

/// A folder that is removed with its owner.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct FetchedEnds {
  repo::Repository repository;
  std::string before_commit;                ///< The merge base.
  std::string after_commit;                 ///< The head.
  std::shared_ptr<TemporaryFolder> folder;  ///< Holds `repository` where the clone is not of it; keep it as long.
};

/// Error: git could not fetch, and why (credentials masked).
Result<FetchedEnds> fetch_ends(GitHubClient& client, const PullRequest& request, const repo::Repository& clone);

}  // namespace lockstep::forge
