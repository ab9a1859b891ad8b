// A review request + a pull request -> at most one new review on it, and an edited summary. What Lockstep posted before
// is found by its markers in comments of the same author: those findings are not told again (so a conversation that was
// resolved, or a comment that was deleted, stays so), and the summary of the first run is brought up to date.
#pragma once

#include <string>

#include "base/result.h"
#include "forge/github_client.h"
#include "forge/review_request.h"

namespace lockstep::forge {

struct PostOptions {
  std::string event = "COMMENT";  ///< Or "APPROVE", "REQUEST_CHANGES".
  bool dry_run = false;           ///< Reads, and writes nothing.
};

struct PostOutcome {
  std::string remark;    ///< "posted a review with 3 comments on OWNER/REPO#12; 2 were there already"
  std::string requests;  ///< Of a dry run: `{"pull_request", "requests": [{"method", "path", "body"}]}`.
};

/// Comments that GitHub would not take go into the body: those outside the hunks that it lists, and those that it
/// refuses all the same. Error: no token, the pull request has moved on since the review was made, or GitHub's refusal.
Result<PostOutcome> post_review(GitHubClient& client, const PullRequestPlace& place, ReviewRequest request,
                                const PostOptions& options);

}  // namespace lockstep::forge
