// A pull request on GitHub -> its words, its commits and the ids of its two ends. Leaves out the code (objects.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "forge/github_client.h"
#include "forge/place.h"
#include "repo/repository.h"

namespace lockstep::forge {

struct PullRequest {
  PullRequestPlace place;
  std::string title;
  std::string body;
  std::string author;  ///< Login.
  std::string base_ref;
  std::string base_commit;
  std::string head_ref;
  std::string head_commit;
  std::vector<repo::CommitInfo> commits;  ///< Oldest first; GitHub lists at most 250.
};

/// Reads it: two requests, and one more for every hundred commits.
Result<PullRequest> read_pull_request(GitHubClient& client, const PullRequestPlace& place);

/// Id of the commit from which both ends go apart, as GitHub finds it.
Result<std::string> merge_base_of(GitHubClient& client, const PullRequest& request);

/// The change as GitHub's own diff (against the merge base).
Result<std::string> read_diff(GitHubClient& client, const PullRequestPlace& place);

/// "/repos/OWNER/REPO/pulls/12"
std::string pull_request_path(const PullRequestPlace& place);

/// 40 lower-case hexadecimal digits: what an answer calls a commit goes to Git only if it is one.
bool is_commit_id(std::string_view text);

}  // namespace lockstep::forge
